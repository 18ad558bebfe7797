import type { Exception, LimitOverride } from '../../../client/exceptions.ts';
import { moment } from '../../moment.ts';
import { printable } from '../../printable.ts';
import type { Cell } from '../../table.ts';

/** `203.0.113.7 is blocked in login of shop until 2026-10-03T16:05:00+02:00 (in 2 h).` */
export function sentence(exception: Exception, where: string, nowMs: number): string {
  return printable(`${exception.match} ${standing(exception)} in ${where} ${end(exception, nowMs)}.`);
}

/** What it says of those who match. */
function standing({ kind, limits = [] }: Exception): string {
  if (kind === 'block') return 'is blocked';
  return kind === 'exemption' ? 'is exempt from all limits' : `has its own numbers (${limitsText(limits)})`;
}

function end({ expiresAt }: Exception, nowMs: number): string {
  return expiresAt === null ? 'until it is removed' : `until ${moment(expiresAt, nowMs)}`;
}

/** `minute: limit 600, burst 20; month: limit 50000`. */
export function limitsText(limits: readonly LimitOverride[]): string {
  return limits
    .map(({ name = 'the limit', limit, burst, mode }) => {
      const said = Object.entries({ limit, burst, mode }).filter(([, value]) => value !== undefined);
      return `${name}: ${said.map(([member, value]) => `${member} ${value}`).join(', ')}`;
    })
    .join('; ');
}

/** `the exemption 203.0.113.7, until …` */
export function named({ kind, match, expiresAt }: Exception, nowMs: number): string {
  const until = expiresAt === null ? '' : `, until ${moment(expiresAt, nowMs)}`;
  return printable(`the ${kind} ${match}${until}`);
}

/** A cell of a table: when it ends. */
export function endCell(expiresAt: string | null, nowMs: number): Cell {
  return expiresAt === null ? 'no end' : moment(expiresAt, nowMs);
}
