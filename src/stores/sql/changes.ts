import { type Clock, systemClock } from '../../limiter/clock.ts';
import type { Actor } from '../../tenancy/actor.ts';
import { insertAudit } from './audit.ts';
import type { Change, Done, MaybeDone, Place, Undecided } from './change.ts';
import { noticeChange } from './change-notice.ts';
import { clearAway } from './clear-away.ts';
import { lockChanges, raiseRevision } from './installation.ts';
import { setProjectRevision } from './projects.ts';
import type { Sql } from './sql.ts';

/**
 * For a change that may write very many rows. Below the time in which a management route answers.
 * Other changes wait for it, or give up after their own time.
 */
export const LARGE_CHANGE_TIMEOUT_MS = 25_000;

export interface ChangesOptions {
  readonly clock?: Clock;
  /** Called after each commit and awaited, so that this node decides by a change once it is acknowledged. */
  readonly onCommit?: () => Promise<void>;
}

interface TimeOption {
  readonly timeoutMs?: number;
}

/**
 * The only way to write configuration: each change is numbered, and its project with it, and says in its
 * own transaction who did what.
 */
export class Changes {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #onCommit: () => Promise<void>;

  constructor(sql: Sql, { clock = systemClock, onCommit = async () => undefined }: ChangesOptions) {
    this.#sql = sql;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  /** Of something that is no project's; `work` may say whose it is. */
  async make<T>(
    actor: Actor,
    work: (change: Change) => Promise<Done<T> & Partial<Place>>,
    options: TimeOption = {},
  ): Promise<T> {
    const value = await this.#sql.transaction(async (transaction) => {
      const change = await this.#begin({ transaction, actor, nowMs: this.#clock.nowMs() });
      const { organisationId = null, projectId = null, ...done } = await work(change);
      return finished(change, { organisationId, projectId }, done);
    }, options);
    await this.#onCommit();
    return value;
  }

  /** Rejects with `unknown_project` if there is none of this id. */
  makeIn<T>(
    projectId: string,
    actor: Actor,
    work: (change: Change) => Promise<Done<T>>,
    options: TimeOption = {},
  ): Promise<T> {
    return this.make(
      actor,
      async (change) => {
        const place = await setProjectRevision(change.transaction, projectId, change.revision);
        return { ...place, ...(await work(change)) };
      },
      options,
    );
  }

  /** As `makeIn`, for work that finds out whether there is anything to write. */
  async makeIfNeededIn<T>(
    projectId: string,
    actor: Actor,
    work: (undecided: Undecided) => Promise<MaybeDone<T>>,
    options: TimeOption = {},
  ): Promise<T> {
    let begun: { readonly change: Change; readonly place: Place } | undefined;
    const result = await this.#sql.transaction(async (transaction) => {
      await lockChanges(transaction);
      const undecided = { transaction, actor, nowMs: this.#clock.nowMs() };
      const begin = async () => {
        if (begun !== undefined) return begun.change;
        const change = await this.#begin(undecided);
        begun = { change, place: await setProjectRevision(transaction, projectId, change.revision) };
        return change;
      };
      const { value, deed } = await work({ ...undecided, begin });
      if (begun === undefined) return value;
      if (deed === undefined) throw new Error('a change must say what it did');
      return finished(begun.change, begun.place, { value, deed });
    }, options);
    if (begun !== undefined) await this.#onCommit();
    return result;
  }

  async #begin(undecided: Omit<Undecided, 'begin'>): Promise<Change> {
    const revision = await raiseRevision(undecided.transaction);
    await noticeChange(undecided.transaction, revision);
    return { ...undecided, revision };
  }
}

async function finished<T>(change: Change, place: Place, { value, deed }: Done<T>): Promise<T> {
  await insertAudit(change, place, deed);
  await clearAway(change);
  return value;
}
