import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/limiter/clock.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import { RedisLink } from '../../../src/stores/redis/redis-link.ts';
import { scriptOf } from '../../../src/stores/redis/script.ts';
import { fixedPlace } from '../../../src/stores/redis/whereabouts.ts';
import { type ScriptedRedis, startScriptedRedis } from '../../support/scripted-redis.ts';

const TIMEOUT_MS = 50;
const SCRIPT = scriptOf('return 1');

describe('a Redis that answers scripts, later than a check waits', () => {
  let server: ScriptedRedis;
  let link: RedisLink;
  const lines: string[] = [];
  let scripts = 0;

  before(async () => {
    server = await startScriptedRedis();
    server.answerScripts(() => ':1\r\n');
    const told = (_fields: object, message: string) => void lines.push(message);
    link = new RedisLink({
      whereabouts: fixedPlace({ host: '127.0.0.1', port: server.port }),
      login: { username: undefined, password: undefined, tls: undefined },
      database: 0,
      timeoutMs: TIMEOUT_MS,
      clock: systemClock,
      log: { info: told, warn: told },
    });
    await until(() => link.isConnected);
  });
  after(async () => {
    link?.close();
    await server?.stop();
  });

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await delay(2);
  };

  async function faultOfCall(): Promise<string> {
    const call = link.within('', (attempt) => attempt().evaluate(SCRIPT, [], []));
    const error = await call.catch((reason: unknown) => reason);
    assert.ok(error instanceof CountersError, String(error));
    return error.fault;
  }

  /** In time, which on a busy machine takes some more attempts. */
  async function read(): Promise<void> {
    while ((await link.ask('PING').catch(() => 'too late')) === 'too late');
  }

  it('is left alone, however fast it answers what it is asked in between', async () => {
    lines.length = 0;
    server.answerScripts(async () => {
      await delay(4 * TIMEOUT_MS);
      scripts++;
      return ':1\r\n';
    });
    const faults: string[] = [];
    while (faults.at(-1) !== 'unavailable' && faults.length < 10) {
      const before = scripts;
      faults.push(await faultOfCall());
      if (!link.isConnected) continue;
      await until(() => scripts > before);
      await read();
    }
    assert.ok(faults.length <= 4, String(faults));
    assert.equal(faults.at(-1), 'unavailable');
    // Probes come back too late, too: none of them lets calls through.
    const before = scripts;
    await until(() => scripts >= before + 4);
    assert.equal(await faultOfCall(), 'unavailable');
    assert.deepEqual(lines, ['Redis does not answer; connecting anew']);

    server.answerScripts(() => ':1\r\n');
    await until(() => link.isConnected);
    assert.deepEqual(lines, ['Redis does not answer; connecting anew', 'Redis connected']);
  });
});
