import { type Kind, quoted } from './kind.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};
const PATTERN = /^(?:0|([1-9][0-9]{0,8})([dhms]))$/;

/** A time in the unit that suits it, such as `7d` or `12h`; 0 needs none. In milliseconds. */
export function duration({ maximumMs }: { maximumMs: number }): Kind<number> {
  const longest = `${maximumMs / (UNITS_MS.d ?? 1)}d`;
  return {
    expected: `a duration such as 7d, 12h, 30m or 45s, at most ${longest}, or 0`,
    schema: { type: 'string', format: `brume-duration-to-${longest}` },
    fault: (text) => {
      if (!PATTERN.test(text)) return `${quoted(text)} is not a duration`;
      return durationMs(text) > maximumMs ? `${quoted(text)} is more than ${longest}` : undefined;
    },
    value: (checked) => durationMs(String(checked)),
  };
}

function durationMs(text: string): number {
  const [, digits = '0', unit = 's'] = PATTERN.exec(text) ?? [];
  return Number(digits) * (UNITS_MS[unit] ?? 0);
}
