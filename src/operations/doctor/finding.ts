/** What doctor looks at, in the order in which it tells of it. */
export const CHECKS = [
  'configuration',
  'service',
  'listeners',
  'permissions',
  'stores',
  'schema',
  'redis-policy',
  'clocks',
  'proxy-trust',
  'disk',
  'descriptors',
  'certificates',
] as const;

export type CheckName = (typeof CHECKS)[number];

/** `unseen`: it could not be looked at, and may be well or not. */
type FindingState = 'ok' | 'warning' | 'failure' | 'unseen';

/** One thing that doctor saw, or could not see. */
export interface Finding {
  readonly check: CheckName;
  readonly state: FindingState;
  /** Whole sentences, without secrets. */
  readonly text: string;
  /** What to do, in whole sentences; null where nothing is to be done. */
  readonly remedy: string | null;
}

/** Makes the findings of one check. */
export interface Teller {
  ok(text: string): Finding;
  warning(text: string, remedy: string): Finding;
  failure(text: string, remedy: string): Finding;
  unseen(text: string, remedy: string): Finding;
}

export function tellerOf(check: CheckName): Teller {
  const tell = (state: FindingState) => (text: string, remedy: string | null) => ({
    check,
    state,
    text,
    remedy,
  });
  return {
    ok: (text) => tell('ok')(text, null),
    warning: tell('warning'),
    failure: tell('failure'),
    unseen: tell('unseen'),
  };
}

/** Why something could not be looked at, in the words of the file system: `EACCES`. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
