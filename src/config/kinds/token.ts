import type { Kind } from './kind.ts';

const LENGTH_MIN = 16;
const LENGTH_MAX = 256;

/** A secret that stands in an HTTP header. Its faults never show it. */
export function token(): Kind<string> {
  return {
    expected: `${LENGTH_MIN} to ${LENGTH_MAX} letters, digits and any of - . _ ~ + / =`,
    schema: { type: 'string', format: 'brume-token' },
    fault: (text) => {
      if (!/^[A-Za-z0-9\-._~+/=]*$/.test(text)) return 'it has other characters than a token may';
      if (text.length < LENGTH_MIN) return `it has ${text.length} characters: too few to be a secret`;
      return text.length > LENGTH_MAX ? `it has ${text.length} characters: too many` : undefined;
    },
    value: String,
  };
}
