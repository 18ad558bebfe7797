import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { dataCall } from './data-call.ts';

const IDS = 20;
/** How long a request id is remembered. */
const KEPT_MS = 60_000;
const DAY_MS = 86_400_000;
const LEASED = { namespace: 'exports', identifier: 'holder' };
const RESERVED = { namespace: 'jobs', identifier: 'reserver' };

/** What was given out and must hold: places, reserved amounts. */
export interface GivenOut {
  readonly leases: readonly string[];
  readonly reservations: readonly string[];
}

export async function giveOut(brume: BrumeProcess, key: string): Promise<GivenOut> {
  const leases: string[] = [];
  const reservations: string[] = [];
  for (let count = 0; count < 3; count++) {
    const lease = await dataCall(brume, key, 'POST', 'leases', LEASED);
    leases.push(String(Object(lease.body?.lease).id));
    const body = { ...RESERVED, cost: 10, ttlMs: DAY_MS };
    const reservation = await dataCall(brume, key, 'POST', 'reservations', body);
    reservations.push(String(Object(reservation.body?.reservation).id));
  }
  return { leases, reservations };
}

/** Leases are held, renewed and given back; reservations are settled, once each. */
export async function assertItHolds(brume: BrumeProcess, key: string, given: GivenOut): Promise<void> {
  const left = async (asked: object) => (await dataCall(brume, key, 'POST', 'peek', asked)).body?.remaining;
  equal(await left(LEASED), 2);
  for (const lease of given.leases) equal((await dataCall(brume, key, 'PUT', `leases/${lease}`)).status, 200);
  const [lease = ''] = given.leases;
  equal((await dataCall(brume, key, 'DELETE', `leases/${lease}`)).status, 204);
  equal((await dataCall(brume, key, 'PUT', `leases/${lease}`)).status, 404);
  equal(await left(LEASED), 3);

  equal(await left(RESERVED), 70);
  const [first = '', second = ''] = given.reservations;
  for (let time = 0; time < 2; time++) {
    const { body } = await dataCall(brume, key, 'POST', `reservations/${first}/commit`, { cost: 4 });
    deepEqual(body, { id: first, reserved: 10, cost: 4, late: false });
  }
  equal((await dataCall(brume, key, 'DELETE', `reservations/${second}`)).status, 204);
  equal(await left(RESERVED), 86);
}

/** Checks that are counted under request ids: what was answered, to be asked again within a minute. */
export interface Answered {
  readonly atMs: number;
  readonly asked: object;
  readonly verdict: unknown;
}

export async function askWithIds(brume: BrumeProcess, key: string, run: string): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (let number = 0; number < IDS; number++) {
    const asked = { namespace: 'api', identifier: `retry-${number}`, cost: 3, requestId: `${run}-${number}` };
    const atMs = Date.now();
    const { status, body } = await dataCall(brume, key, 'POST', 'limit', asked);
    equal(status, 200, JSON.stringify(body));
    answered.push({ atMs, asked, verdict: withoutTimes(body) });
    // So that the verdict of now is another one.
    await dataCall(brume, key, 'POST', 'limit', { ...asked, requestId: undefined });
  }
  return answered;
}

export async function assertAnsweredAgain(
  brume: BrumeProcess,
  key: string,
  answered: readonly Answered[],
): Promise<void> {
  for (const { atMs, asked, verdict } of answered) {
    ok(Date.now() < atMs + KEPT_MS, 'this machine took more than a minute, for which answers are kept');
    const again = withoutTimes((await dataCall(brume, key, 'POST', 'limit', asked)).body);
    deepEqual(again, verdict);
    const { body } = await dataCall(brume, key, 'POST', 'peek', asked);
    notEqual(body?.remaining, Object(again).remaining, 'nothing was consumed between');
  }
}

/** What follows from the time of asking. */
const TIMES = ['retryAfter', 'growsAfter', 'delayMs'];

/** A verdict but for the time that is left. A `reset` in the future stays; of what is whole it is the time of asking. */
export function withoutTimes(verdict: unknown): unknown {
  const nowMs = Date.now();
  const text = JSON.stringify(verdict ?? null, (name, member) => {
    if (TIMES.includes(name)) return undefined;
    return name === 'reset' && member <= nowMs ? 'now' : member;
  });
  return JSON.parse(text);
}
