import { type Kind, quoted } from './kind.ts';

/** Which requests get a line in the access log. `sample` logs one in `oneIn`, and every fault. */
export type AccessLog =
  | { readonly mode: 'off' | 'denied' | 'all' }
  | { readonly mode: 'sample'; readonly oneIn: number };

const SAMPLE = /^sample:([1-9][0-9]{0,8})$/;

/** `off`, `denied`, `sample:N` or `all`. */
export function accessLog(): Kind<AccessLog> {
  return {
    expected: 'off, denied, sample:N (one request in N, N at least 1) or all',
    schema: { type: 'string', format: 'brume-access-log' },
    fault: (text) => (parse(text) === undefined ? `${quoted(text)} is not one of them` : undefined),
    value: (checked) => Object.freeze(parse(String(checked)) ?? { mode: 'all' }),
  };
}

function parse(text: string): AccessLog | undefined {
  if (text === 'off' || text === 'denied' || text === 'all') return { mode: text };
  const oneIn = SAMPLE.exec(text)?.[1];
  return oneIn === undefined ? undefined : { mode: 'sample', oneIn: Number(oneIn) };
}
