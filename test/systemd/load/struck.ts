import { waitFor } from '../../support/wait-for.ts';
import type { Guest } from '../guest.ts';
import { serving } from '../started-brume.ts';
import type { LoadReport } from './load.ts';
import type { LoadedGuest } from './loaded-guest.ts';

/** Enough where requests wait until a frozen process is replaced. */
export const FEW_A_SECOND = 15;

/** What clients met while the process that served was killed, or frozen, and another took its place. */
export interface Struck {
  readonly report: LoadReport;
  /** When it was still whole, since the start of the load. */
  readonly wholeMs: number;
  /** How long the start of the one that took its place took, by itself. */
  readonly startMs: number;
}

/** Signals the process that serves under load, and waits until another does. */
export async function struck(
  { guest, loaded }: { readonly guest: Guest; readonly loaded: LoadedGuest },
  signal: 'KILL' | 'STOP',
  perSecond?: number,
): Promise<Struck> {
  // Of a process that was killed a moment ago the next starts wait longer and longer.
  await guest.must('systemctl', 'restart', 'brume.service');
  let [wholeAtMs, startMs] = [0, 0];
  const report = await loaded.during(async () => {
    const first = await serving(guest);
    wholeAtMs = Date.now();
    await guest.must('systemctl', 'kill', `--signal=${signal}`, '--kill-whom=main', first?.unit ?? '');
    const isAnother = async () => {
      const now = await serving(guest);
      return now !== undefined && now.pid !== first?.pid;
    };
    await waitFor('another process', isAnother, { timeoutMs: 90_000, everyMs: 100 });
    const unit = (await serving(guest))?.unit ?? '';
    const atMs = async (name: string) =>
      Number(await guest.property(unit, `${name}TimestampMonotonic`)) / 1000;
    startMs = (await atMs('ActiveEnter')) - (await atMs('InactiveExit'));
  }, perSecond);
  return { report, startMs, wholeMs: wholeAtMs - report.startedAtMs };
}
