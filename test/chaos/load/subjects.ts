import { Ledger, type Loss } from '../model/ledger.ts';
import type { Random } from '../random.ts';
import type { CountedNamespace } from './namespaces.ts';

/** An identifier whose use is followed. */
export interface Subject {
  readonly namespace: CountedNamespace;
  readonly identifier: string;
  readonly ledger: Ledger;
  underWay: number;
  /** Nothing more is asked of it: it is being looked at. */
  isHeldUp: boolean;
  denials: number;
  /** When a call on it was last answered without the store; epoch milliseconds. */
  degradedMs: number;
  /** Cost that passed without the store, and in how many events. */
  admittedDegraded: number;
  readonly degradedEvents: Set<number>;
}

/** As many as are asked about at a time, of each namespace. */
const AT_ONCE = 3;
/** Then it has been asked on long enough. */
const DENIALS = 25;

/** The identifiers that are asked about: who has spent all and was denied for a while is followed by another. */
export class Subjects {
  readonly #prefix: string;
  readonly #losses: readonly Loss[];
  readonly #present = new Map<CountedNamespace, Subject[]>();
  readonly all: Subject[] = [];

  constructor(prefix: string, losses: readonly Loss[]) {
    this.#prefix = prefix;
    this.#losses = losses;
  }

  /** One of the namespace that nobody looks at; undefined if there is none. */
  pick(namespace: CountedNamespace, random: Random): Subject | undefined {
    const present = this.#presentOf(namespace).filter(({ isHeldUp }) => !isHeldUp);
    return present.length === 0 ? undefined : random.pick(present);
  }

  #presentOf(namespace: CountedNamespace): Subject[] {
    const present = (this.#present.get(namespace) ?? []).filter(({ denials }) => denials < DENIALS);
    while (present.length < AT_ONCE) present.push(this.#create(namespace));
    this.#present.set(namespace, present);
    return present;
  }

  #create(namespace: CountedNamespace): Subject {
    const subject: Subject = {
      namespace,
      identifier: `${this.#prefix}-${namespace.name}-${this.all.length}`,
      ledger: new Ledger(namespace.limit, this.#losses, namespace.checkpoints),
      underWay: 0,
      isHeldUp: false,
      denials: 0,
      degradedMs: 0,
      admittedDegraded: 0,
      degradedEvents: new Set(),
    };
    this.all.push(subject);
    return subject;
  }
}
