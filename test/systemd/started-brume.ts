import type { Guest } from './guest.ts';

/** The log's lines of a unit that are JSON, in their order. */
export async function logged(guest: Guest, unit: string): Promise<Readonly<Record<string, unknown>>[]> {
  const lines = (await guest.journal(unit)).split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line));
}

/** Nothing of the test before is left: started, with the configuration given alone. */
export async function startAnew(guest: Guest, configuration = ''): Promise<void> {
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.must('systemctl', 'reset-failed');
  await guest.write('/etc/brume/brume.conf', configuration);
  await guest.must('systemctl', 'start', 'brume.service');
}

/** The colour that serves, and the number of its process in the guest. */
export async function serving(guest: Guest): Promise<{ unit: string; pid: string } | undefined> {
  for (const unit of ['brume@blue.service', 'brume@green.service']) {
    // One question: between two it may end.
    const shown = await guest.must('systemctl', 'show', '--property=ActiveState,MainPID', unit);
    const [, pid] = /^MainPID=([1-9]\d*)$/mu.exec(shown) ?? [];
    if (pid !== undefined && /^ActiveState=active$/mu.test(shown)) return { unit, pid };
  }
  return undefined;
}
