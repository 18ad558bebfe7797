import type { Places } from '../model/places.ts';
import type { Answer } from './caller.ts';
import type { LoadContext } from './load-context.ts';
import { COUNTED, PLACES } from './namespaces.ts';
import type { Subject } from './subjects.ts';

const RESERVABLE = COUNTED.filter(({ isGivenBack }) => !isGivenBack);

/** A cost is reserved and, a moment later, settled with less. */
export async function reservation(load: LoadContext): Promise<void> {
  const subject = load.parts.subjects.pick(load.random.pick(RESERVABLE), load.random);
  if (subject === undefined) return;
  const reserved = load.random.integer(2, 4);
  await load.with([subject], async () => {
    const { namespace, identifier } = subject;
    const body = { namespace: namespace.name, identifier, cost: reserved, ttlMs: 600_000 };
    const answer = await load.ask({ path: '/v1/reservations', body }, [200]);
    if (answer?.status !== 200) return;
    const verdict = load.judge(answer.body, namespace.policy, answer);
    load.use(subject, verdict, answer, reserved);
    const { reservation: granted } = answer.body as { reservation: { id: string } | null };
    if ((granted !== null) !== (verdict.success && !verdict.degraded))
      load.parts.broken('reserved where admitted', JSON.stringify({ verdict, granted }));
    if (granted !== null) await settle(load, subject, { id: granted.id, reserved });
  });
}

async function settle(
  load: LoadContext,
  subject: Subject,
  { id, reserved }: { id: string; reserved: number },
): Promise<void> {
  const cost = load.random.integer(0, reserved);
  const path = `/v1/reservations/${encodeURIComponent(id)}`;
  const call =
    cost === 0
      ? { method: 'DELETE' as const, path }
      : { method: 'POST' as const, path: `${path}/commit`, body: { cost } };
  // After a loss it may be charged anew, or nobody knows it any more.
  const answer = await load.ask(call, [200, 204, 404, 503]);
  const nowMs = Date.now();
  const { sentMs, receivedMs } = answer ?? { sentMs: nowMs, receivedMs: nowMs };
  const isKnown = answer?.status === 204 || (answer?.status === 200 && !isLate(answer));
  const least = cost - reserved;
  if (answer !== undefined && answer.status > 400) subject.degradedMs = receivedMs;
  subject.ledger.add({ sentMs, receivedMs, least, most: isKnown && cost > 0 ? least : cost });
}

function isLate({ body }: Answer): boolean {
  return typeof body === 'object' && body !== null && 'late' in body && body.late === true;
}

/** A place is taken, mostly renewed once, and given back. */
export async function lease(load: LoadContext, places: Places): Promise<void> {
  const { broken, prefix } = load.parts;
  const body = { namespace: PLACES.name, identifier: `${prefix}-places` };
  const answer = await load.ask({ path: '/v1/leases', body }, [200]);
  if (answer?.status !== 200) return;
  const verdict = load.judge(answer.body, 'open', answer);
  const { lease: granted } = answer.body as { lease: { id: string; expiresAt: number } | null };
  if ((granted !== null) !== (verdict.success && !verdict.degraded))
    broken('leased where admitted', JSON.stringify({ verdict, granted }));
  if (granted === null) return;
  const { sentMs, receivedMs } = answer;
  places.granted(granted.id, { sentMs, receivedMs, expiresAtMs: granted.expiresAt });
  await pause(load.random.integer(0, 200));
  const path = `/v1/leases/${encodeURIComponent(granted.id)}`;
  if (load.random.isLucky(0.6)) {
    const renewed = await load.ask({ method: 'PUT', path }, [200, 404, 503]);
    if (renewed?.status === 404) places.missed(granted.id, renewed.sentMs, renewed.receivedMs);
    await pause(load.random.integer(0, 200));
  }
  places.releasing(granted.id, Date.now());
  await load.ask({ method: 'DELETE', path }, [204, 404, 503]);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
