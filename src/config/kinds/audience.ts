import type { Kind } from './kind.ts';

/** The audience of a token: one word, compared byte for byte. */
export function audience(): Kind<string> {
  return {
    expected: 'an audience such as brume-control, without blanks, at most 255 characters',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    fault: (text) => (/^[\x21-\x7e]{1,255}$/.test(text) ? undefined : 'it is not an audience'),
    value: String,
  };
}
