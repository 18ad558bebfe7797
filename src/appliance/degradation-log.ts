import type { Check } from '../limiter/check.ts';
import type { Clock } from '../limiter/clock.ts';
import type { CountersError } from '../limiter/counters.ts';
import type { Log } from './state.ts';

/** A warning of one kind is written at most this often; the next line says how many were left out. */
const QUIET_MS = 1000;
/** Beyond this many kinds the memory of them is dropped; at worst a line too many. */
const KINDS_MAX = 10_000;

interface Kind {
  quietUntilMs: number;
  suppressed: number;
}

/**
 * What the limiter calls when a namespace's failure policy had to decide: one warning a second for
 * each namespace and kind of fault. Damaged state is rare and each case its own news, so it is
 * always written. The identifier appears only if the operator asked for identifiers in the log.
 */
export function degradationLog(
  log: Log,
  clock: Pick<Clock, 'monotonicMs'>,
  logIdentifiers: boolean,
): (check: Check, error: CountersError) => void {
  const kinds = new Map<string, Kind>();

  return ({ namespace, identifier }, error) => {
    const { fault } = error;
    let suppressed = 0;
    if (fault !== 'corrupt') {
      const nowMs = clock.monotonicMs();
      const kind = kindOf(kinds, `${namespace.id} ${fault}`);
      if (nowMs < kind.quietUntilMs) {
        kind.suppressed++;
        return;
      }
      suppressed = kind.suppressed;
      kind.quietUntilMs = nowMs + QUIET_MS;
      kind.suppressed = 0;
    }
    log.warn(
      {
        fault,
        project: namespace.projectId,
        namespace: namespace.name,
        policy: namespace.rule.onStoreFailure,
        ...(logIdentifiers && { identifier }),
        ...(suppressed > 0 && { suppressed }),
        reason: error.message,
      },
      fault === 'corrupt'
        ? 'counter state was damaged and has been removed; the failure policy decided'
        : 'the counter store gave no answer; the failure policy decided',
    );
  };
}

function kindOf(kinds: Map<string, Kind>, name: string): Kind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  if (kinds.size >= KINDS_MAX) kinds.clear();
  const fresh = { quietUntilMs: -Infinity, suppressed: 0 };
  kinds.set(name, fresh);
  return fresh;
}
