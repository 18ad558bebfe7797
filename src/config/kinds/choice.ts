import { type Kind, quoted } from './kind.ts';

/** One word out of a list, spelled exactly so. */
export function choice<const Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    expected: alternatives(words),
    schema: { type: 'string', enum: words },
    fault: (text) => (words.some((word) => word === text) ? undefined : `${quoted(text)} is not one of them`),
    value: (checked) => checked as Word,
  };
}

/** `true` or `false`, and no other spelling: a guess at what `no` or `1` means could be wrong. */
export function boolean(): Kind<boolean> {
  const words = ['true', 'false'];
  return {
    expected: alternatives(words),
    schema: { allOf: [{ type: 'string', enum: words }, { type: 'boolean' }] },
    fault: (text) => (words.includes(text) ? undefined : `${quoted(text)} is neither true nor false`),
    value: (checked) => checked === true,
  };
}

function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
