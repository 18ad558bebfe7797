/** Attempts of one kind that were refused, of one login from one address. */
export interface RefusedSignIns {
  /** Null: none that there is. What was typed there may be a password, and is kept nowhere. */
  readonly login: string | null;
  /** Null: nobody can say, or several. */
  readonly address: string | null;
  /** Of the latest attempt, as in the log. */
  readonly requestId: string | null;
  readonly by: 'password' | 'invitation';
  /** How many came with a wrong password or link. */
  readonly wrong: number;
  /** How many came too early, and were not looked at. */
  readonly throttled: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

/** One attempt that was refused. */
export interface RefusedSignIn extends Pick<RefusedSignIns, 'login' | 'address' | 'requestId' | 'by'> {
  readonly because: 'wrong' | 'throttled';
}

/** Is told of each refused attempt; costs nobody a wait. */
export interface SignInWatch {
  onRefused(attempt: RefusedSignIn): void;
}
