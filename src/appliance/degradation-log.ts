import type { Check } from '../limiter/check.ts';
import type { Clock } from '../limiter/clock.ts';
import type { CountersError } from '../limiter/counters.ts';
import type { Timers } from '../stores/cache/timers.ts';
import type { Logger } from '../telemetry/log.ts';
import { Seldom } from '../telemetry/seldom.ts';

/**
 * What the limiter calls when a namespace's failure policy had to decide: one warning a second for
 * each namespace and kind of fault. Damaged state is rare and each case its own news, so it is
 * always written. The identifier appears only if the operator asked for identifiers in the log.
 */
export function degradationLog(
  log: Logger,
  clock: Pick<Clock, 'monotonicMs'>,
  logIdentifiers: boolean,
  timers?: Timers,
): (check: Check, error: CountersError) => void {
  const seldom = new Seldom(clock, { timers });

  return ({ namespace, identifier }, { fault, message }) => {
    const entry = {
      fault,
      project: namespace.projectId,
      namespace: namespace.name,
      policy: namespace.rule.onStoreFailure,
      ...(logIdentifiers && { identifier }),
      reason: message,
    };
    if (fault === 'corrupt') {
      log.warn(entry, 'counter state was damaged and has been removed; the failure policy decided');
      return;
    }
    seldom.run(`${namespace.id} ${fault}`, (suppressed) =>
      log.warn(
        suppressed > 0 ? { ...entry, suppressed } : entry,
        'the counter store gave no answer; the failure policy decided',
      ),
    );
  };
}
