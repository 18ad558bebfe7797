/** What is asked of the load, and what it reports: between client.ts and whoever starts it. */

export interface LoadPlan {
  /** Ports on the client's network: Brume's data plane, and an nginx as front.ts starts it. */
  readonly brumePort: number;
  readonly nginxPort: number;
  readonly key: string;
  /** Begins every identifier, so that nobody has counted for it before. */
  readonly run: string;
  /** It lasts as long at least, and until TAIL_MS after its standard input has ended. */
  readonly seconds: number;
  /** Requests a second through nginx; those beside it are in proportion. */
  readonly perSecond: number;
}

/** What a request met that should not be: a refusal, a cut, an answer of 5xx, one that nobody judged. */
export interface Fault {
  readonly stream: string;
  /** When it was met, and when the request was sent, since the start. */
  readonly atMs: number;
  readonly sentMs: number;
  readonly what: string;
}

/** A place of a limit that was given a second time: what counted it first was lost. */
export interface GivenTwice {
  readonly what: string;
  /** When its first admission was answered, since the start. */
  readonly firstMs: number;
}

export interface LoadReport {
  /** By the clock of all processes of this machine. */
  readonly startedAtMs: number;
  readonly sent: number;
  readonly answered: number;
  /** Sent again, since an answer before it on its connection said that this would be the last. */
  readonly sentAgain: number;
  readonly faults: readonly Fault[];
  readonly givenTwice: readonly GivenTwice[];
  /** Limits that were exceeded by more than that, or of which a part was lost. */
  readonly miscounts: readonly string[];
  /** The longest time in which nobody was answered. */
  readonly silenceMs: number;
  /** Counted from when a request should have been sent. */
  readonly medianMs: number;
  readonly p999Ms: number;
  readonly slowestMs: Readonly<Record<string, number>>;
  /** When the client was told that what was done under it is over, since the start. */
  readonly toldMs: number;
}

/** Longer than the 3 s for which a process that drains keeps idle connections. */
export const TAIL_MS = 5000;
/** When the client says that it is under way: connections are open and some identifiers have used up theirs. */
export const STEADY_MS = 2500;

/** Requests a second of one identifier. */
export const PER_IDENTIFIER = 5;
export const NAMESPACES = ['few', 'many', 'quota'] as const;
export type Namespace = (typeof NAMESPACES)[number];

/**
 * What the namespaces admit of an identifier in a load of so many seconds, none of which comes back meanwhile:
 * `few` is used up when the load gets steady, `quota` while something is done under it, `many` near its end.
 */
export function limitsOf(seconds: number): Readonly<Record<Namespace, number>> {
  return {
    few: 8,
    quota: Math.round(PER_IDENTIFIER * seconds * 0.4),
    many: Math.round(PER_IDENTIFIER * seconds * 0.8),
  };
}
