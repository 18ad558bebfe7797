import type { LoadContext } from './load-context.ts';
import type { Subject } from './subjects.ts';
import { verdictFaults, verdictIn } from './verdict-faults.ts';

/** A call that was given up may run so long afterwards, and what it holds be settled. */
const SETTLED_AFTER_MS = 400;
const HELD_UP_MAX_MS = 2000;

/**
 * Asks what is left of an identifier's limit while nobody else asks, and compares that with what the model
 * says was surely and possibly used. False if nobody could tell.
 */
export async function lookAt(load: LoadContext, subject: Subject): Promise<boolean> {
  if (subject.isHeldUp) return false;
  subject.isHeldUp = true;
  try {
    const endMs = Date.now() + HELD_UP_MAX_MS;
    while (subject.underWay > 0 || Date.now() < subject.degradedMs + SETTLED_AFTER_MS) {
      if (Date.now() > endMs) return false;
      await pause(10);
    }
    return await compare(load, subject);
  } finally {
    subject.isHeldUp = false;
  }
}

async function compare(load: LoadContext, { namespace, identifier, ledger }: Subject): Promise<boolean> {
  const { broken, losses } = load.parts;
  const answer = await load.ask({ path: '/v1/peek', body: { namespace: namespace.name, identifier } }, [200]);
  if (answer?.status !== 200) return false;
  const verdict = verdictIn(answer.body);
  for (const fault of verdictFaults(verdict, namespace.policy)) broken('verdict', `of a peek: ${fault}`);
  if (verdict.degraded || verdict.remaining === null) return false;
  const atMs = answer.receivedMs;
  const used = ledger.limit - verdict.remaining;
  const least = Math.min(ledger.limit, ledger.least(answer.sentMs));
  const most = namespace.isGivenBack ? ledger.mostEver() : ledger.most(answer.sentMs);
  const range = `${used} used, where ${least} to ${most} can be`;
  if (used < least)
    broken('nothing is forgotten', `${identifier}: ${range}; losses ${JSON.stringify(losses.slice(-3))}`);
  if (used > most) broken('a denied check consumes nothing', `${identifier}: ${range}`);
  // What one node has not merged yet comes on top of it later, and so does what checkpoints give back.
  if (!namespace.isGivenBack) ledger.mark(atMs, verdict.remaining);
  return true;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
