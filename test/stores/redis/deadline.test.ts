import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RedisLink } from '../../../src/stores/redis/redis-link.ts';
import { scriptOf } from '../../../src/stores/redis/script.ts';
import { fixedPlace } from '../../../src/stores/redis/whereabouts.ts';
import { ManualClock, silentLog } from '../../support/counter-engines.ts';
import { type ScriptedRedis, startScriptedRedis } from '../../support/scripted-redis.ts';
import { waitFor } from '../../support/wait-for.ts';

const TIMEOUT_MS = 50;
/** Of several calls the quickest: a machine that is busy for so long is not each time. */
const QUICKEST_MS_MAX = 1000;
const SCRIPT = scriptOf('return 1');

describe('the deadline of a call to Redis', () => {
  let server: ScriptedRedis;
  let link: RedisLink;

  before(async () => {
    server = await startScriptedRedis();
    server.answerScripts(() => ':1\r\n');
    link = new RedisLink({
      whereabouts: fixedPlace({ host: '127.0.0.1', port: server.port }),
      login: { username: undefined, password: undefined, tls: undefined },
      database: 0,
      timeoutMs: TIMEOUT_MS,
      // It stands still: what a call is given is to the millisecond, and no silence grows long enough to matter.
      clock: new ManualClock(),
      log: silentLog,
    });
    await waitFor('a connection', () => link.isConnected);
  });
  after(async () => {
    link?.close();
    await server?.stop();
  });

  it('is what Redis is told to do nothing after', async () => {
    const { deadlineMs, storeNowMs } = await link.within('', async (attempt) => attempt());
    assert.equal(deadlineMs - storeNowMs, TIMEOUT_MS);
    const early = await link.within('', async (attempt) => attempt(), { givenUpMs: 20 });
    assert.equal(early.deadlineMs - early.storeNowMs, 20);
  });

  it('is where the caller is let go, of scripts and of other commands', async () => {
    server.answerScripts(() => new Promise(() => undefined));
    const calls = {
      script: () => link.within('', (attempt) => attempt().evaluate(SCRIPT, [], [])),
      // Behind the script, on the same connection.
      command: () => link.ask('PING'),
    };
    for (const [what, call] of Object.entries(calls)) {
      const tookMs: number[] = [];
      for (let round = 0; round < 5; round++) {
        const startMs = performance.now();
        await assert.rejects(call(), /Redis gave no answer in 50 ms/);
        tookMs.push(performance.now() - startMs);
      }
      assert.ok(Math.min(...tookMs) < QUICKEST_MS_MAX, `${what}: ${tookMs.map(Math.round).join(', ')} ms`);
    }
    assert.ok(link.isConnected);
  });
});
