import { counted } from '../../errors/counted.ts';
import { EXCEPTION_KINDS, type ExceptionKind } from '../exceptions/rule-exception.ts';
import type { ChangeItem } from './rules-store.ts';

const VERBS = ['created', 'changed', 'removed'] as const;
const NOTHING = 'nothing changed';

/** What is counted of an item. */
interface Counted extends Pick<ChangeItem, 'before' | 'after'> {
  readonly exception: { readonly kind: ExceptionKind } | null;
}

/** One line for a change: `2 namespaces created, 1 block removed`. */
export function changeSummary(items: readonly Counted[]): string {
  const counts = new ChangeCounts();
  for (const item of items) counts.add(item);
  return counts.summary();
}

/** The items of a change, counted one after the other, so that nobody needs all of them at once. */
export class ChangeCounts {
  readonly #counts = new Map<string, number>();

  /** `times` items that are alike. */
  add(item: Counted, times = 1): void {
    const key = `${item.exception?.kind ?? 'namespace'} ${verbOf(item)}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
  }

  /** As `changeSummary`. */
  summary(): string {
    const parts = ['namespace', ...EXCEPTION_KINDS].flatMap((noun) =>
      VERBS.flatMap((verb) => {
        const count = this.#counts.get(`${noun} ${verb}`);
        return count === undefined ? [] : [`${counted(count, noun)} ${verb}`];
      }),
    );
    return parts.length === 0 ? NOTHING : parts.join(', ');
  }
}

function verbOf({ before, after }: Pick<ChangeItem, 'before' | 'after'>): (typeof VERBS)[number] {
  if (before === null) return 'created';
  return after === null ? 'removed' : 'changed';
}
