/**
 * For how long telling systemd holds up the event loop, by the memory that the process uses: a line to the
 * relay that Brume has, and a process started for each state, which would be the plain way.
 * `node scripts/measure-notify.ts`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MEBIBYTES = [0, 500, 1500];
const ROUNDS = 40;

const relay = spawn('/bin/sh', ['-c', 'while IFS= read -r state; do /bin/true "$state"; done'], {
  stdio: ['pipe', 'ignore', 'ignore'],
});

const held: Buffer[] = [];
for (const size of MEBIBYTES) {
  while (held.length < size) held.push(Buffer.alloc(1024 * 1024, 1));
  const [written, started]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    written.push(timed(() => relay.stdin.write('WATCHDOG=1\n')));
    let child = relay as ReturnType<typeof spawn>;
    started.push(
      timed(() => {
        child = spawn('/bin/true', ['WATCHDOG=1'], { stdio: 'ignore' });
      }),
    );
    await once(child, 'exit');
  }
  const memory = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  console.log(
    `${memory} MiB: a line ${median(written)} ms, a process ${median(started)} ms (medians of ${ROUNDS})`,
  );
}
relay.stdin.end();

function timed(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function median(values: readonly number[]): string {
  return ([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(2);
}
