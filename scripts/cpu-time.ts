import { readFileSync } from 'node:fs';

/** USER_HZ, which Linux fixes at 100 for all that it shows in /proc. */
const TICK_US = 10_000;

/** User and system time that a process has used so far, in microseconds; 0 for no process. */
export function cpuUs(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
