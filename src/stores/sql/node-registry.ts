import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import {
  deleteNode,
  deleteNodesUnseenFor,
  insertNode,
  lockNodes,
  type Node,
  selectNodes,
  touchNode,
} from './nodes.ts';
import type { Sql, SqlTransaction } from './sql.ts';

/** How often a node gives a sign of life. */
const SIGN_INTERVAL_MS = 3000;
/** A node without a sign for so long counts as gone: room for a few that were missed. */
export const NODE_GONE_AFTER_MS = 15_000;

export interface NodeRegistryOptions {
  readonly sql: Sql;
  readonly self: Node;
  readonly timers: Timers;
  readonly log: StoreLog;
  /** Whether the process is known to have ended, so that nobody waits for its signs to grow old. */
  readonly isGone: (node: Node) => boolean;
  /** Told which other nodes live, as often as it looks. Not told while the database is away. */
  readonly onOthers?: (others: readonly Node[]) => void;
}

/**
 * The nodes that serve from one database. One that counts in its own memory must be the only one: two
 * would each admit the whole limit. All times are the database's, so that the clocks of nodes have no
 * part in it. Where its clock steps by more than the bound, nodes count as gone until their next sign.
 */
export class NodeRegistry {
  readonly #options: NodeRegistryOptions;
  #cancelSign: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isLeft = false;
  #knownRivals: ReadonlySet<string> = new Set();

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  /**
   * Enters this node and gives signs of it until `leave`. If there is a live node beside which it
   * must not serve, it resolves with that one and has entered nothing. Rejects as `Sql` does.
   */
  async enter(): Promise<Node | undefined> {
    const { sql, self } = this.#options;
    const rival = await sql.transaction(async (transaction) => {
      await lockNodes(transaction);
      await this.#removeGone(transaction);
      const [first] = await this.#rivals(transaction);
      if (first === undefined) await insertNode(transaction, self);
      return first;
    });
    if (rival === undefined) this.#scheduleSign();
    return rival;
  }

  /** As `enter`, for a node that serves already: it is not refused, rivals are reported. */
  async join(): Promise<void> {
    await this.#sign();
    this.#scheduleSign();
  }

  /** Removes this node. Never rejects: while the database is away, the signs end and that has to do. */
  async leave(): Promise<void> {
    const { sql, self } = this.#options;
    this.#isLeft = true;
    this.#cancelSign?.();
    await this.#running;
    await sql.transaction((transaction) => deleteNode(transaction, self.id)).catch(() => undefined);
  }

  #scheduleSign(): void {
    if (this.#isLeft) return;
    this.#cancelSign = this.#options.timers.after(SIGN_INTERVAL_MS, () => {
      // A database that is away is reported by the snapshot.
      this.#running = this.#sign()
        .catch(() => undefined)
        .finally(() => this.#scheduleSign());
    });
  }

  async #sign(): Promise<void> {
    const { sql, self } = this.#options;
    const rivals = await sql.transaction(async (transaction) => {
      await lockNodes(transaction);
      // It isn't there if another one entered while this one could give no sign.
      if (!(await touchNode(transaction, self.id))) await insertNode(transaction, self);
      await this.#removeGone(transaction);
      return this.#rivals(transaction);
    });
    this.#report(rivals);
  }

  async #removeGone(transaction: SqlTransaction): Promise<void> {
    await deleteNodesUnseenFor(transaction, NODE_GONE_AFTER_MS);
    for (const node of await selectNodes(transaction)) {
      if (node.id !== this.#options.self.id && this.#options.isGone(node)) {
        await deleteNode(transaction, node.id);
      }
    }
  }

  async #rivals(transaction: SqlTransaction): Promise<Node[]> {
    const { self, onOthers } = this.#options;
    const others = (await selectNodes(transaction)).filter(({ id }) => id !== self.id);
    onOthers?.(others);
    return others.filter(({ counters }) => counters === 'embedded' || self.counters === 'embedded');
  }

  /**
   * Found out too late: the database was away from one of them when the other started. To stop
   * counting would admit still more wherever a rule is open, so both go on, and say so.
   */
  #report(rivals: readonly Node[]): void {
    for (const { id, host, pid } of rivals) {
      if (this.#knownRivals.has(id)) continue;
      this.#options.log.error(
        { host, pid },
        'another live node uses this database, and they do not count together: each admits the whole limit; stop one of them',
      );
    }
    this.#knownRivals = new Set(rivals.map(({ id }) => id));
  }
}
