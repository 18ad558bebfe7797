import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

export type Answer = readonly [status: number, body: unknown];

export const BLOCK = {
  id: 'ex_1',
  kind: 'block',
  match: '203.0.113.7',
  reason: 'abuse',
  author: 'local:anna',
  createdAt: '2026-07-01T12:00:00.000Z',
  updatedAt: '2026-07-01T12:00:00.000Z',
  expiresAt: null,
};
export const NO_RIVALS: Answer = [200, { items: [], isWhole: true }];

/** A Brume that has the one project `shop`, unless `answer` is asked for that too, and answers all other calls as told. */
export async function fakeBrume(
  t: Pick<TestContext, 'after'>,
  answer: (asked: Asked) => Answer,
  { isAskedForProjects = false } = {},
) {
  const calls: Asked[] = [];
  const socket = await socketServer(t, async (request, response) => {
    const text = await textOf(request);
    const asked = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://brume'),
      body: text === '' ? undefined : JSON.parse(text),
    };
    const isProjects = !isAskedForProjects && asked.url.pathname === '/v1/projects';
    if (!isProjects) calls.push(asked);
    const [status, body] = isProjects ? [200, { items: [{ name: 'shop' }] }] : answer(asked);
    response.writeHead(status).end(JSON.stringify(body));
  });
  const run = (line: readonly string[], options?: Parameters<typeof runWith>[1]) =>
    runWith([...line, '--socket', socket], options);
  return { calls, run };
}

export const isRivals = ({ url }: Asked) => url.pathname.endsWith('/rivals');
