import type { QuotaCheckpoint } from './quota-checkpoint.ts';

export interface Noted {
  readonly checkpoint: QuotaCheckpoint;
  readonly notedMonotonicMs: number;
  /**
   * A higher count of the same period, noted before and not yet written: the identifier was reset, a
   * reservation gave something back, or the counters lost what they had. The store of checkpoints, which
   * knows the resets, tells which.
   */
  readonly higher: Noted | undefined;
}

/** The latest count of each quota that is still to be written, the longest untouched first. */
export class PendingCheckpoints {
  readonly #max: number;
  readonly #noted = new Map<string, Noted>();
  #droppedCount = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#noted.size;
  }

  /** Nearly full: what is here should be written now. */
  get isCrowded(): boolean {
    return this.#noted.size > this.#max * 0.8;
  }

  /** When full, the one that was touched longest ago gives way. */
  note(checkpoint: QuotaCheckpoint, notedMonotonicMs: number): void {
    const id = idOf(checkpoint);
    const known = this.#noted.get(id);
    this.#noted.delete(id);
    this.#noted.set(id, { checkpoint, notedMonotonicMs, higher: higherOf(known, checkpoint) });
    if (this.#noted.size <= this.#max) return;
    const [oldest] = this.#noted.keys();
    if (oldest !== undefined) this.#noted.delete(oldest);
    this.#droppedCount++;
  }

  all(): Noted[] {
    return [...this.#noted.values()];
  }

  /** Forgets what was written, but nothing that was noted since. */
  drop(written: readonly Noted[]): void {
    for (const noted of written) {
      const id = idOf(noted.checkpoint);
      if (this.#noted.get(id) === noted) this.#noted.delete(id);
    }
  }

  /** How many gave way since this was asked last. */
  takeDroppedCount(): number {
    const count = this.#droppedCount;
    this.#droppedCount = 0;
    return count;
  }
}

/** Names have no colon. */
function idOf({ key, name }: QuotaCheckpoint): string {
  return `${key}:${name}`;
}

function higherOf(known: Noted | undefined, { identity, startMs, used }: QuotaCheckpoint): Noted | undefined {
  if (known === undefined) return undefined;
  const { checkpoint, higher } = known;
  if (checkpoint.identity !== identity || checkpoint.startMs !== startMs) return undefined;
  const highest = higher !== undefined && higher.checkpoint.used >= checkpoint.used ? higher : known;
  return highest.checkpoint.used > used ? { ...highest, higher: undefined } : undefined;
}
