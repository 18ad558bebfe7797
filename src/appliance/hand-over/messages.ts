/**
 * What two processes of Brume say to each other when the embedded stores pass from one to the next: lines of
 * JSON on a Unix socket in the state directory, each an object whose `kind` is one of these.
 *
 *     next → serving   hello       here I am: protocol, version, process
 *     serving → next   welcome     likewise, and how often the stores have been handed over
 *                      refused     not now, and why
 *     next → serving   take        I have checked and read what I can: give me the stores
 *     serving → next   yours       they are closed and the lock is free, this once, under this generation
 *                      kept        they stay here, and why
 *     next → serving   opened      I have them and can serve; requests can be passed on there
 *     serving → next   released    serve
 *                      withdrawn   too late: I take them back
 *     next → serving   serving     I accept connections; what still comes to you is mine
 *     next → serving   stand_down  I don't know your protocol: drain and end, as on TERM
 *
 * `hello`, `welcome` and `stand_down` mean the same in every protocol there will be.
 */
export type Message =
  | ({ readonly kind: 'hello' } & Introduction)
  | ({ readonly kind: 'welcome'; readonly generation: number } & Introduction)
  | { readonly kind: 'refused' | 'kept' | 'withdrawn'; readonly reason: string }
  | { readonly kind: 'released' | 'serving' | 'stand_down' }
  /** How soon it will have opened them, in milliseconds. */
  | { readonly kind: 'take'; readonly withinMs: number }
  | { readonly kind: 'yours'; readonly generation: number }
  | {
      readonly kind: 'opened';
      readonly generation: number;
      /** Of the socket on which requests are taken, and what they must carry. */
      readonly path: string;
      readonly token: string;
    };

export interface Introduction {
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  /** In which `pid` is a process; two that differ can't signal each other. */
  readonly pidNamespace: string;
}

export const PROTOCOL = 1;

type Fields = Readonly<Record<string, 'string' | 'number'>>;

const INTRODUCTION: Fields = { protocol: 'number', version: 'string', pid: 'number', pidNamespace: 'string' };
const REASON: Fields = { reason: 'string' };

const FIELDS: Readonly<Record<Message['kind'], Fields>> = {
  hello: INTRODUCTION,
  welcome: { ...INTRODUCTION, generation: 'number' },
  refused: REASON,
  kept: REASON,
  withdrawn: REASON,
  take: { withinMs: 'number' },
  released: {},
  serving: {},
  stand_down: {},
  yours: { generation: 'number' },
  opened: { generation: 'number', path: 'string', token: 'string' },
};

/** Undefined for what is none of them. */
export function messageIn(line: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const fields = Object.entries(FIELDS).find(([kind]) => kind === value.kind)?.[1];
  if (fields === undefined) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const isWhole = Object.entries(fields).every(([name, type]) => typeof found[name] === type);
  return isWhole ? (value as Message) : undefined;
}
