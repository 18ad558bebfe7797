/**
 * How long requests take while Brume is reloaded and restarted under systemd, beside how long they take without, in
 * a booted Debian: as root, after `npm run build` and `scripts/guest base`.
 *
 *     node scripts/measure-restart.ts [--stores embedded|shared] [--windows 10] [--restarts 5] [--seconds 10]
 *
 * 300 requests a second through nginx, and more beside it (docs/system-tests.md). Windows with a reload and without
 * one take turns, so that what else the machine does meets both. Times are counted from when a request should have
 * been sent.
 */
import { parseArgs } from 'node:util';
import { Guest } from '../test/systemd/guest.ts';
import { onEmbeddedStores, onSharedStores } from '../test/systemd/load/house.ts';
import { slowestMs } from '../test/systemd/load/judged.ts';
import type { LoadReport } from '../test/systemd/load/load.ts';

const { values } = parseArgs({
  options: {
    stores: { type: 'string' },
    windows: { type: 'string', default: '10' },
    restarts: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
  },
});
const HOUSES = { embedded: onEmbeddedStores, shared: onSharedStores };

for (const [stores, on] of Object.entries(HOUSES)) {
  if (values.stores !== undefined && values.stores !== stores) continue;
  const guest = await Guest.boot();
  try {
    const loaded = await on(guest, Number(values.seconds));
    const control = (verb: string) => guest.must('systemctl', verb, 'brume.service');
    const quiet: LoadReport[] = [];
    const reloads: LoadReport[] = [];
    for (let window = 0; window < Number(values.windows); window++) {
      quiet.push(await loaded.during(async () => undefined));
      reloads.push(await loaded.during(() => control('reload')));
    }
    const restarts: LoadReport[] = [];
    for (let window = 0; window < Number(values.restarts); window++) {
      restarts.push(await loaded.during(() => control('restart')));
    }
    console.log(`${stores} stores, ms`);
    console.log('             median  p99.9  slowest  lost  of');
    for (const [name, reports] of Object.entries({ quiet, reloads, restarts })) print(name, reports);
    console.log(`slowest of each reload:  ${reloads.map(slowestMs).join(' ')}`);
    console.log(`slowest of each restart: ${restarts.map(slowestMs).join(' ')}`);
  } finally {
    await guest.end();
  }
}

/** Of the windows' medians the median; of everything else the worst. */
function print(name: string, reports: readonly LoadReport[]): void {
  const medians = reports.map(({ medianMs }) => medianMs).sort((one, other) => one - other);
  const sum = (of: (report: LoadReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const columns = [
    medians[medians.length >> 1] ?? 0,
    Math.max(...reports.map(({ p999Ms }) => p999Ms)),
    Math.max(...reports.map(slowestMs)),
    sum(({ faults, miscounts }) => faults.length + miscounts.length),
    sum(({ sent }) => sent),
  ];
  const widths = [7, 7, 9, 6, 7];
  console.log(
    name.padEnd(12) + columns.map((column, at) => String(column).padStart(widths[at] ?? 0)).join(''),
  );
}
