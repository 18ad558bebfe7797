import type { ServerPlace } from './redis-address.ts';

/** Where the server is that counts, and news when it is another one. */
export interface Whereabouts {
  /** Undefined while nobody knows. */
  current(): ServerPlace | undefined;
  /** Why nobody knows, in words, while nobody does. */
  whyUnknown(): string;
  /** Calls `listener` at once when the place becomes known, or is another one. */
  onChange(listener: () => void): void;
  /** Whoever can't use the server at that place says so: it may be another one by now. */
  doubt(): void;
  /** How many Sentinels answer; undefined where there are none to ask. */
  reachableSentinels(): number | undefined;
  close(): void;
}

/** A server that is where it is. */
export function fixedPlace(place: ServerPlace): Whereabouts {
  return {
    current: () => place,
    whyUnknown: () => '',
    onChange: () => undefined,
    doubt: () => undefined,
    reachableSentinels: () => undefined,
    close: () => undefined,
  };
}
