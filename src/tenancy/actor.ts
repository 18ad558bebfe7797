/** Who does something, as history and audit record it. */
export interface Actor {
  /** `local:NAME` (said by the command line, unverified), `user:LOGIN`, `token:NAME`. */
  readonly name: string;
  /** From where, if over the network. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** How something that has a version is changed or removed. */
export interface Versioned {
  readonly actor: Actor;
  /** Rejects with `precondition_failed` if it has another version by now; undefined: whatever it has. */
  readonly expectedVersion?: number;
}
