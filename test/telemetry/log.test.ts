import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createLogger, type LogOptions } from '../../src/telemetry/log.ts';

const KEY = `brume_sk_${'aB3-_'.repeat(8)}xyz`;

function recorded(options: Omit<LogOptions, 'stream'>) {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLogger({ ...options, stream }), lines };
}

test('a line is one JSON object with time, level and message', () => {
  const { log, lines } = recorded({ level: 'info' });
  log.debug('not this one');
  log.info({ port: 8600 }, 'listening');
  const [line, ...more] = lines.map((text) => JSON.parse(text));
  assert.equal(more.length, 0);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', port: 8600, msg: 'listening' });
});

test('secrets do not reach the log, by whatever way they come', () => {
  const { log, lines } = recorded({ level: 'debug' });
  const cause = new Error(`connect postgres://brume:hunter2@db/brume with Bearer ${KEY}`);
  log.error({ err: new Error('outer', { cause }) }, `key ${KEY} is bad`);
  log.info({
    headers: { authorization: 'Bearer hunter2hunter2', Cookie: 'sid=hunter2', 'x-api-key': 'hunter2' },
  });
  log.info({
    a: { b: { c: { 'set-cookie': ['sid=hunter2', 'x=hunter2'], password: 'hunter2 "quoted" \\' } } },
  });
  log.info({ redisUrl: 'redis://:hunter2@r', url: 'rediss://user:hunter2@r:6379/0' });
  log.info({ identifier: 'ann@example.org', deep: { identifier: 'ann@example.org' } });
  const text = lines.join('');
  assert.doesNotMatch(text, /hunter2|ann@example|aB3-_aB3/);
  for (const line of lines) JSON.parse(line);
});

test('identifiers are shown where they were asked for', () => {
  const { log, lines } = recorded({ level: 'info', showIdentifiers: true });
  log.info({ identifier: 'ann' }, 'x');
  assert.equal(JSON.parse(lines[0] ?? '').identifier, 'ann');
});

/** A process that logs as the snippet says; its standard output is a pipe to us. */
function logging(snippet: string) {
  const module = new URL('../../src/telemetry/log.ts', import.meta.url).href;
  const code = `const { createLogger } = await import(${JSON.stringify(module)}); const log = createLogger({ level: 'info' }); ${snippet}`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('the last line before an exit arrives', async () => {
  const child = logging("for (let n = 1; n <= 500; n++) log.info({ n }, 'x'); process.exit(0);");
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(child, 'close');
  const numbers = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).n);
  assert.deepEqual(
    numbers,
    Array.from({ length: 500 }, (_, at) => at + 1),
  );
});

test('a reader that stalls costs lines, which are counted, and never holds up the process', async () => {
  const child = logging(`
    const filling = 'x'.repeat(1000);
    for (let n = 0; n < 20000; n++) log.info({ filling }, 'x');
    setInterval(() => log.info('tick'), 20);
  `);
  let lost = 0;
  let seen = 0;
  let rest = '';
  for await (const chunk of child.stdout) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { lostLines, filling } = JSON.parse(line);
      if (filling !== undefined) seen++;
      if (lostLines !== undefined) lost += lostLines;
    }
    if (lost > 0) break;
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal(lost > 0, true);
  assert.equal(seen > 0, true);
});
