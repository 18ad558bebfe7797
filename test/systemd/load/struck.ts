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
}

/** Signals the process that serves under load, and waits until another does. */
export async function struck(
  { guest, loaded }: { readonly guest: Guest; readonly loaded: LoadedGuest },
  signal: 'KILL' | 'STOP',
  perSecond?: number,
): Promise<Struck> {
  let wholeAtMs = 0;
  const report = await loaded.during(async () => {
    const first = await serving(guest);
    wholeAtMs = Date.now();
    await guest.must('systemctl', 'kill', `--signal=${signal}`, '--kill-whom=main', first?.unit ?? '');
    const isAnother = async () => {
      const now = await serving(guest);
      return now !== undefined && now.pid !== first?.pid;
    };
    await waitFor('another process', isAnother, { timeoutMs: 90_000, everyMs: 100 });
  }, perSecond);
  return { report, wholeMs: wholeAtMs - report.startedAtMs };
}
