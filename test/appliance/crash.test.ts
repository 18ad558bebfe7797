import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const SOURCE = join(import.meta.dirname, '../../src');

function runWith(fault: string) {
  const script = `
    import { endOnUncaughtFault } from ${JSON.stringify(join(SOURCE, 'appliance/crash.ts'))};
    import { createLogger } from ${JSON.stringify(join(SOURCE, 'telemetry/log.ts'))};
    const log = createLogger({ level: 'info' });
    endOnUncaughtFault(log);
    log.info('before');
    setInterval(() => undefined, 1000);
    ${fault}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return {
    status,
    stderr,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

for (const [what, fault] of [
  ['exception', 'setImmediate(() => { throw new Error("the cause"); });'],
  ['rejection', 'Promise.reject(new Error("the cause"));'],
  ['throw of something that is no error', 'setImmediate(() => { throw "the cause"; });'],
] as const) {
  test(`an uncaught ${what} is the last line of the log, as JSON, and the exit code is 1`, () => {
    const { status, stderr, lines } = runWith(fault);
    assert.equal(status, 1, stderr);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['info', 'fatal'],
    );
    assert.match(JSON.stringify(lines[1]), /the cause/);
  });
}
