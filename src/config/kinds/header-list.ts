import type { Kind } from './kind.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]+$/;

/**
 * Headers as OpenTelemetry writes them: `name=value,name=value`, values percent-encoded where they
 * hold a comma or a blank at an end. They are a secret, so that no fault repeats any of it.
 */
export function headerList(): Kind<Readonly<Record<string, string>>> {
  return {
    expected: 'headers such as authorization=Bearer%20TOKEN, separated by commas',
    schema: { type: 'string', format: 'brume-header-list' },
    fault: faultOf,
    value: (checked) =>
      Object.fromEntries(pairsOf(String(checked)).map(([name, value = '']) => [name, value])),
  };
}

function faultOf(text: string): string | undefined {
  const seen = new Set<string>();
  for (const [at, [name, value]] of pairsOf(text).entries()) {
    const place = `header ${at + 1} of the list`;
    if (!NAME.test(name)) return `${place} has no name, or one with characters that a name can't have`;
    if (value === undefined || !VALUE.test(value))
      return `${place} has no value, or one that no header can have`;
    if (seen.has(name)) return `${place} is there twice`;
    seen.add(name);
  }
  return undefined;
}

function pairsOf(text: string): [name: string, value: string | undefined][] {
  return text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 0) return [pair.trim().toLowerCase(), undefined];
    return [pair.slice(0, at).trim().toLowerCase(), decoded(pair.slice(at + 1).trim())];
  });
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
