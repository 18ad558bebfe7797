import { EXCEPTION_KINDS } from '../exceptions/rule-exception.ts';
import type { ChangeItem } from './rules-store.ts';

const VERBS = ['created', 'changed', 'removed'] as const;
const NOTHING = 'nothing changed';

/** One line for a change: `2 namespaces created, 1 block removed`. */
export function changeSummary(items: readonly Pick<ChangeItem, 'exception' | 'before' | 'after'>[]): string {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = `${item.exception?.kind ?? 'namespace'} ${verbOf(item)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const parts = ['namespace', ...EXCEPTION_KINDS].flatMap((noun) =>
    VERBS.flatMap((verb) => {
      const count = counts.get(`${noun} ${verb}`);
      return count === undefined ? [] : [`${count} ${noun}${count === 1 ? '' : 's'} ${verb}`];
    }),
  );
  return parts.length === 0 ? NOTHING : parts.join(', ');
}

function verbOf({ before, after }: Pick<ChangeItem, 'before' | 'after'>): (typeof VERBS)[number] {
  if (before === null) return 'created';
  return after === null ? 'removed' : 'changed';
}
