import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mock, test } from 'node:test';
import { LogOutput } from '../../src/telemetry/log-output.ts';

const RETRY_MS = 500;

/** A file that answers each write as it is told to: with an error, or by taking it all. */
function outputTo({ waitingBytesMax = 1000 } = {}) {
  const fault: { code: string | null } = { code: null };
  const complaints: string[] = [];
  let written = '';
  const attempt = (bytes: Buffer): number => {
    if (fault.code !== null) throw Object.assign(new Error(`${fault.code}: no`), { code: fault.code });
    written += bytes.toString();
    return bytes.length;
  };
  const output = new LogOutput({
    write: (bytes, done) =>
      queueMicrotask(() => {
        try {
          done(null, attempt(bytes));
        } catch (error) {
          done(error instanceof Error ? error : new Error(), 0);
        }
      }),
    writeSync: attempt,
    complain: (text) => complaints.push(text),
    waitingBytesMax,
  });
  return { output, fault, complaints, lines: () => written.split('\n').slice(0, -1) };
}

/** Lets the writes that are due take place. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

for (const code of ['ENOSPC', 'EPIPE', 'EIO', 'EAGAIN']) {
  test(`lines that meet ${code} wait, and arrive in order when writing works again`, async (t) => {
    t.after(() => mock.timers.reset());
    mock.timers.enable({ apis: ['setTimeout'] });
    const { output, fault, lines, complaints } = outputTo();
    fault.code = code;
    for (const line of ['a', 'b', 'c']) output.write(`${line}\n`);
    await settled();
    mock.timers.tick(RETRY_MS);
    await settled();
    assert.deepEqual(lines(), []);
    assert.equal(complaints.length, code === 'EAGAIN' ? 0 : 1, 'said once, a slow reader not at all');

    fault.code = null;
    mock.timers.tick(RETRY_MS);
    await settled();
    output.write('d\n');
    await settled();
    assert.deepEqual(lines(), ['a', 'b', 'c', 'd']);
  });
}

test('what exceeds the bound is dropped, and the log says how many lines once it can', async (t) => {
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ['setTimeout'] });
  const { output, fault, lines } = outputTo({ waitingBytesMax: 100 });
  fault.code = 'ENOSPC';
  for (let n = 0; n < 60; n++) output.write(`line ${n % 10} of 10\n`);
  await settled();
  fault.code = null;
  mock.timers.tick(RETRY_MS);
  await settled();
  const [last = '{}', ...kept] = lines().reverse();
  assert.ok(kept.length > 0 && kept.length < 10);
  const { lostLines, level } = JSON.parse(last);
  assert.deepEqual({ lostLines, level }, { lostLines: 60 - kept.length, level: 'warn' });
  assert.equal(output.lostLinesTotal, 60 - kept.length);

  output.write('more\n');
  await settled();
  assert.equal(lines().at(-1), 'more', 'the count is told once');
  assert.equal(output.lostLinesTotal, 60 - kept.length, 'and goes on');
});

for (const { code, written, complaints } of [
  { code: null, written: ['b', 'c'], complaints: [] },
  { code: 'ENOSPC', written: [], complaints: ['2 log lines were lost'] },
]) {
  test(`at the end what waits is tried once more; ${code ?? 'success'} ends it`, () => {
    const made = outputTo();
    made.fault.code = code;
    // The first line's write is under way and is not repeated: it might arrive twice.
    for (const line of ['under way', 'b', 'c']) made.output.write(`${line}\n`);
    made.output.flushSync();
    assert.deepEqual(made.lines(), written);
    assert.deepEqual(made.complaints, complaints);
  });
}

/** A process that logs, with the given standard output; it counts its ticks on standard error. */
function logging(stdout: number | 'pipe') {
  const module = new URL('../../src/telemetry/log.ts', import.meta.url).href;
  const code = `
    const { createLogger } = await import(${JSON.stringify(module)});
    const log = createLogger({ level: 'info' });
    process.on('SIGTERM', () => process.exit(7));
    let ticks = 0;
    setInterval(() => {
      for (let n = 0; n < 200; n++) log.info({ filling: 'x'.repeat(1000) }, 'tick');
      if (++ticks === 20) process.stderr.write('still here');
    }, 5);`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', stdout, 'pipe'],
  });
}

for (const [what, closesReader] of [
  ['a full disk', null],
  ['a closed pipe', true],
  ['a stalled reader', false],
] as const) {
  test(`${what} behind standard output neither stops the process nor its end`, async () => {
    const full = closesReader === null ? openSync('/dev/full', 'w') : null;
    const child = logging(full ?? 'pipe');
    if (full !== null) closeSync(full);
    if (closesReader === true) child.stdout?.destroy();
    let said = '';
    for await (const chunk of child.stderr ?? []) {
      said += String(chunk);
      if (said.includes('still here')) child.kill('SIGTERM');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 7);
    assert.match(said, /\d+ log lines were lost\n$/);
  });
}
