import type { Kind } from './kinds/kind.ts';
import type { OPTIONS, Variable } from './options.ts';

/**
 * Everything that can be set, read once at start: flat, frozen, handed down. Made from the
 * declarations in options/; `BRUME_REDIS_TIMEOUT_MS` is `redisTimeoutMs`. Null: not set, or off.
 */
export type Config = { readonly [V in Variable as Property<V>]: ValueOf<(typeof OPTIONS)[V]> };

/** The property of `Config` that holds a variable. */
export type Property<V extends string> = V extends `BRUME_${infer Name}` ? Camel<Name> : never;

type Camel<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>;

type ValueOf<O> = O extends { kind: Kind<infer Value>; default: infer Default }
  ? Value | (Default extends null ? null : never)
  : never;

/** `BRUME_REDIS_TIMEOUT_MS` → `redisTimeoutMs`. */
export function propertyOf<V extends Variable>(variable: V): Property<V> {
  const name = variable.slice('BRUME_'.length).toLowerCase();
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as Property<V>;
}
