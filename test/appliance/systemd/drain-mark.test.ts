import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DrainMarks } from '../../../src/appliance/systemd/drain-mark.ts';
import { metricsOf } from '../../support/metrics-of.ts';
import { SharedSockets } from '../../support/shared-sockets.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { rawConnection, recordedLog } from '../fakes.ts';
import { Caller } from '../hand-over/calls.ts';

const { log } = recordedLog();

/** The directories of the two colours. */
function colours(t: TestContext): { blue: string; green: string } {
  const parent = temporaryDirectory(t);
  const [blue, green] = [join(parent, 'blue'), join(parent, 'green')];
  for (const directory of [blue, green]) mkdirSync(directory);
  return { blue, green };
}

/** The mark of the process `pid`, in the place of this one's. */
function changeMark(directory: string, change: (words: string[]) => string[]): void {
  const path = join(directory, 'draining');
  writeFileSync(path, `${change(readFileSync(path, 'utf8').trim().split(' ')).join(' ')}\n`);
}

describe('a process that drains', () => {
  it('is seen by the one beside it, with how long it has been at it, and by nobody before', (t) => {
    const { blue, green } = colours(t);
    const [draining, serving] = [new DrainMarks(blue, log), new DrainMarks(green, log)];
    equal(serving.longestSeconds(), 0);
    draining.mark();
    ok(serving.longestSeconds() > 0);
    changeMark(blue, ([pid = '', ticks = '', sinceMs]) => [pid, ticks, String(Number(sinceMs) - 600_000)]);
    const seconds = serving.longestSeconds();
    ok(seconds >= 600 && seconds < 660, String(seconds));
    equal(draining.longestSeconds(), 0, 'its own drain is none of another process');
  });

  it('is seen while it lives, also where systemd has given its unit up', (t) => {
    const { blue, green } = colours(t);
    new DrainMarks(blue, log).mark();
    const serving = new DrainMarks(green, log);
    ok(serving.longestSeconds() > 0);
    rmSync(blue, { recursive: true });
    ok(serving.longestSeconds() > 0);
  });

  it('is not seen once it has ended, nor is another process that was given its number', (t) => {
    const { blue, green } = colours(t);
    new DrainMarks(blue, log).mark();
    const serving = new DrainMarks(green, log);
    const { pid } = spawnSync('true');
    changeMark(blue, ([, ...rest]) => [String(pid), ...rest]);
    equal(serving.longestSeconds(), 0);
    changeMark(blue, ([, ticks, ...rest]) => [String(process.pid), String(Number(ticks) + 1), ...rest]);
    equal(serving.longestSeconds(), 0);
  });

  it('leaves no mark to the next one in its directory, and can do without a directory', (t) => {
    const { blue } = colours(t);
    new DrainMarks(blue, log).mark();
    new DrainMarks(blue, log);
    ok(!existsSync(join(blue, 'draining')));
    const alone = new DrainMarks(undefined, log);
    alone.mark();
    equal(alone.longestSeconds(), 0);
  });

  it('that can not leave a mark says so, and drains', (t) => {
    const { blue } = colours(t);
    const { log: its, lines } = recordedLog();
    const draining = new DrainMarks(blue, its);
    rmSync(blue, { recursive: true });
    draining.mark();
    deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [['warn', 'the next process can not be told that this one drains']],
    );
  });

  it('is in the metrics of the process that took over, until it has ended', {
    timeout: 60_000,
  }, async (t) => {
    const { blue, green } = colours(t);
    const shared = await SharedSockets.open(t);
    const first = await shared.start({ RUNTIME_DIRECTORY: blue });
    const caller = await Caller.of(shared, { login: 10 });
    // A request that is not complete: it is waited for.
    const slow = await rawConnection(t, { port: Number(new URL(shared.url).port) });
    slow.send(
      `POST /v1/limit HTTP/1.1\r\nHost: brume\r\nX-API-Key: ${caller.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
    );
    await slow.until('100 Continue');
    await shared.start({ RUNTIME_DIRECTORY: green });
    const seconds = async (): Promise<number> => {
      const metrics = await metricsOf(shared.adminPath);
      return Number(/^brume_predecessor_draining_seconds (\S+)$/m.exec(metrics)?.[1]);
    };
    await waitFor('the drain of the first process', async () => (await seconds()) > 0);
    slow.socket.destroy();
    equal(await first.ended, 0, first.log());
    equal(await seconds(), 0);
  });
});
