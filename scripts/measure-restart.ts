/**
 * How long requests take while Brume is reloaded, restarted, killed and upgraded under systemd, beside how long they
 * take without, in a booted Debian: as root, after `npm run build` and `scripts/guest base`.
 *
 *     node scripts/measure-restart.ts [--stores embedded|shared] [--packages DIR] [--windows 10] [--restarts 5]
 *         [--kills 5] [--upgrades 4] [--seconds 10]
 *
 * 300 requests a second through nginx, and more beside it (docs/system-tests.md). Windows with a reload and without
 * one take turns, so that what else the machine does meets both. Times are counted from when a request should have
 * been sent; after a kill it is told how long nobody was answered. With the packages of two versions in DIR, as
 * scripts/package makes them, the package is measured, and upgrades and downgrades by turns; without, what is built.
 */
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Guest } from '../test/systemd/guest.ts';
import { onEmbeddedStores, onSharedStores } from '../test/systemd/load/house.ts';
import { slowestMs } from '../test/systemd/load/judged.ts';
import type { LoadReport } from '../test/systemd/load/load.ts';
import { struck } from '../test/systemd/load/struck.ts';

const { values } = parseArgs({
  options: {
    stores: { type: 'string' },
    packages: { type: 'string' },
    windows: { type: 'string', default: '10' },
    restarts: { type: 'string', default: '5' },
    kills: { type: 'string', default: '5' },
    upgrades: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '10' },
  },
});
const HOUSES = { embedded: onEmbeddedStores, shared: onSharedStores };
const UNITS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket', 'brume.service'];

const packages = values.packages === undefined ? [] : packagesIn(values.packages);
for (const [stores, on] of Object.entries(HOUSES)) {
  if (values.stores !== undefined && values.stores !== stores) continue;
  const guest = await bootedGuest();
  try {
    console.log(`${stores} stores, ms; load average ${loadText()}`);
    const loaded = await on(guest, Number(values.seconds));
    const control = (verb: string) => guest.must('systemctl', verb, 'brume.service');
    const measured = { quiet: [], reloads: [], restarts: [], upgrades: [] } as Record<string, LoadReport[]>;
    const under = async (name: string, action: () => Promise<unknown>) => {
      const report = await loaded.during(action);
      measured[name]?.push(report);
      // At once: a run takes a quarter of an hour, and may be cut.
      console.log(
        `  ${name}: p99.9 ${report.p999Ms}, slowest ${slowestMs(report)}; load average ${loadText()}`,
      );
    };
    await times(values.windows, async () => {
      await under('quiet', async () => undefined);
      await under('reloads', () => control('reload'));
    });
    await times(values.restarts, () => under('restarts', () => control('restart')));
    if (packages.length > 0) {
      // The first one goes up.
      await times(values.upgrades, (time) => under('upgrades', () => install(guest, (time + 1) % 2)));
    }
    const silences: number[] = [];
    await times(values.kills, async () => {
      silences.push((await struck({ guest, loaded }, 'KILL')).report.silenceMs);
    });
    console.log('             median  p99.9  slowest  lost  of');
    for (const [name, reports] of Object.entries(measured)) if (reports.length > 0) print(name, reports);
    console.log(`nobody answered after a kill for: ${silences.join(' ')}`);
  } finally {
    await guest.end();
  }
}

/** Two, the older one first. */
function packagesIn(directory: string): string[] {
  const found = globSync(join(directory, 'brume_*_amd64.deb')).sort();
  if (found.length !== 2) throw new Error(`two versions of the package are needed in ${directory}`);
  return found;
}

async function bootedGuest(): Promise<Guest> {
  if (packages.length === 0) return Guest.boot();
  const guest = await Guest.boot((tree) => {
    mkdirSync(join(tree, 'root'), { recursive: true });
    for (const path of packages) cpSync(path, join(tree, 'root', basename(path)));
  });
  await install(guest, 0);
  await guest.must('systemctl', 'enable', '--now', ...UNITS);
  return guest;
}

function install(guest: Guest, index: number): Promise<string> {
  return guest.must('dpkg', '--force-confold', '-i', `/root/${basename(packages[index] ?? '')}`);
}

async function times(count: string, action: (time: number) => Promise<unknown>): Promise<void> {
  for (let time = 0; time < Number(count); time++) await action(time);
}

function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');
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
    sum(({ faults, miscounts, givenTwice }) => faults.length + miscounts.length + givenTwice.length),
    sum(({ sent }) => sent),
  ];
  const widths = [7, 7, 9, 6, 7];
  console.log(
    name.padEnd(12) + columns.map((column, at) => String(column).padStart(widths[at] ?? 0)).join(''),
  );
}
