import { deepEqual, rejects } from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { nodesKnow } from '../../../src/operations/drill/nodes-know.ts';
import { freePort } from '../../support/free-port.ts';
import { listening } from '../../support/listening-server.ts';

const ASKED = { key: 'brume_sk_drill', namespace: 'drill' };

/** A data plane that answers with these statuses in turn, and the last of them from then on. */
async function node(t: TestContext, ...statuses: number[]): Promise<{ url: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked.push([request.method, request.url, request.headers['x-api-key'], JSON.parse(body).namespace]);
    response.writeHead(statuses[Math.min(asked.length, statuses.length) - 1] ?? 200).end('{}');
  });
  return { url: `http://127.0.0.1:${await listening(t, server)}`, asked };
}

describe('nodes that are to hear of the namespace of a drill', () => {
  it('are waited for, each of them, and nothing is consumed', async (t) => {
    const [first, second] = [await node(t, 200), await node(t, 401, 404, 404, 200)];
    await nodesKnow({ ...ASKED, nodes: [first.url, second.url] }, new AbortController().signal);
    const peek = ['POST', '/v1/peek', ASKED.key, ASKED.namespace];
    deepEqual([first.asked, second.asked], [[peek], [peek, peek, peek, peek]]);
  });

  it('are left to the load where one is gone, or answers something else', async (t) => {
    const sick = await node(t, 503);
    const gone = `http://127.0.0.1:${await freePort()}`;
    await nodesKnow({ ...ASKED, nodes: [gone, sick.url] }, new AbortController().signal);
    deepEqual(sick.asked.length, 1);
  });

  it('are waited for no longer once the drill is interrupted', async (t) => {
    const deaf = await node(t, 404);
    await rejects(nodesKnow({ ...ASKED, nodes: [deaf.url] }, AbortSignal.timeout(250)), /abort/i);
  });
});
