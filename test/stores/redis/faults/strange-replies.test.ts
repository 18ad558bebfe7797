import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import {
  array,
  bulk,
  type ScriptedRedis,
  type ScriptedReply,
  startScriptedRedis,
} from '../../../support/scripted-redis.ts';
import { proves, type Row, Subject, until } from './faulty-redis.ts';

/** What lua/check.lua says where it admits a check against one limit. */
function admitted(): ScriptedReply {
  return array([`:${Date.now()}\r\n`, ':1\r\n', ':1\r\n', ':1\r\n', ':99\r\n', ':0\r\n', ':0\r\n', ':0\r\n']);
}

async function scripted(
  t: TestContext,
  others?: Readonly<Record<string, () => ScriptedReply>>,
): Promise<ScriptedRedis> {
  const server = await startScriptedRedis(others);
  t.after(() => server.stop());
  return server;
}

/** Two nodes that both say that the first has all slots; the second answers checks. */
async function cluster(t: TestContext, row: Row) {
  const map = () =>
    array([array([':0\r\n', ':16383\r\n', array([bulk('127.0.0.1'), `:${first.port}\r\n`, bulk('first')])])]);
  const first: ScriptedRedis = await scripted(t, { CLUSTER: map });
  const second = await scripted(t, { CLUSTER: map });
  second.answerScripts(admitted);
  first.answerScripts(admitted);
  const subject = new Subject(t, row, `redis+cluster://127.0.0.1:${first.port}`);
  await subject.ready();
  await until(async () => (await subject.check()) === 'none');
  return { first, second, subject };
}

/** The check before which the server says this once; then it admits. */
function once(reply: ScriptedReply): () => ScriptedReply {
  let isSaid = false;
  return () => {
    if (isSaid) return admitted();
    isSaid = true;
    return reply;
  };
}

describe('replies that a Redis of its own gives seldom', () => {
  proves('moved', async (t) => {
    const { first, second, subject } = await cluster(t, 'moved');
    first.answerScripts(() => `-MOVED 1 127.0.0.1:${second.port}\r\n`);
    // The first is the probe of the connection.
    const isAsked = () => second.commands.filter((name) => name === 'EVALSHA').length > 1;
    await until(async () => (await subject.check()) === 'none' && isAsked());
    assert.ok(subject.faults() > 0);
  });

  proves('ask', async (t) => {
    const { first, second, subject } = await cluster(t, 'ask');
    first.answerScripts(() => `-ASK 1 127.0.0.1:${second.port}\r\n`);
    await until(async () => (await subject.check()) === 'none' && second.commands.includes('ASKING'));
    assert.equal(second.commands[second.commands.indexOf('ASKING') + 1], 'EVALSHA');
    assert.ok(subject.faults() > 0);
  });

  proves('tryagain', async (t) => {
    const { first, subject } = await cluster(t, 'tryagain');
    first.answerScripts(once('-TRYAGAIN Multiple keys request during rehashing of slot\r\n'));
    await subject.assertMet();
  });

  proves('cluster_as_single', async (t) => {
    const server = await scripted(t);
    const subject = new Subject(t, 'cluster_as_single', server.url);
    await subject.ready();
    for (const said of ['MOVED 1 127.0.0.1:1', 'ASK 1 127.0.0.1:1', 'TRYAGAIN Multiple keys']) {
      server.answerScripts(() => `-${said}\r\n`);
      assert.equal(await subject.check(), 'unavailable');
    }
    assert.equal(subject.faults(), 1);
    subject.assertTold();
  });

  proves('execabort', async (t) => {
    const server = await scripted(t);
    const subject = new Subject(t, 'execabort', server.url);
    await subject.ready();
    server.answerScripts(once('-EXECABORT Transaction discarded because of previous errors.\r\n'));
    await subject.assertMet();
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });

  proves('loading', async (t) => {
    let isLoading = true;
    const info = () =>
      isLoading
        ? bulk('run_id:scripted\r\nrole:master\r\nloading:1\r\n')
        : bulk('run_id:x\r\nrole:master\r\n');
    const server = await scripted(t, { INFO: info });
    server.answerScripts(admitted);
    const subject = new Subject(t, 'loading', server.url);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    isLoading = false;
    await subject.recovered();
    isLoading = true;
    server.answerScripts(() => '-LOADING Redis is loading the dataset in memory\r\n');
    await subject.assertMet();
    assert.equal(subject.counters.stats().isConnected, false, 'it is given up');
  });

  proves('late', async (t) => {
    const server = await scripted(t);
    const subject = new Subject(t, 'late', server.url);
    await subject.ready();
    server.answerScripts(() => array([`:${Date.now()}\r\n`, ':0\r\n']));
    assert.equal(await subject.check(), 'timeout');
    assert.ok(subject.faults() > 0);
    server.answerScripts(admitted);
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });

  proves('protocol', async (t) => {
    const server = await scripted(t, { INFO: () => 'HTTP/1.1 400 Bad Request\r\n\r\n' });
    const subject = new Subject(t, 'protocol', server.url);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
  });

  proves('other', async (t) => {
    const server = await scripted(t);
    const subject = new Subject(t, 'other', server.url);
    await subject.ready();
    server.answerScripts(once('-ERR whatever\r\n'));
    await subject.assertMet();
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });
});
