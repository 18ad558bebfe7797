import type { Kind } from './kinds/kind.ts';

/** One setting, declared once: schema, loader, types, documentation and example file come from it. */
export interface Option<Value = unknown> {
  /** Plain sentences for the reference page. */
  readonly description: string;
  readonly kind: Kind<Value>;
  /** As it would be written in the file; null: not set. */
  readonly default: string | null;
  /** As it would be written in the file, in the example that is shipped. */
  readonly example: string;
  /** Never shown; can also be given by `…_FILE` and as a systemd credential. */
  readonly isSecret?: true;
}

/** Settings by the name of their variable. */
export type Options = Readonly<Record<`BRUME_${string}`, Option>>;
