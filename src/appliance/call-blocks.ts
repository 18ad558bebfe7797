import { CallBlocks, type CallBlocksOptions } from '../limiter/calls/call-blocks.ts';
import type { Clock } from '../limiter/clock.ts';
import { CountersError } from '../limiter/counters.ts';
import type { IdentifierKey } from '../limiter/identifier-key.ts';
import type { Logger } from '../telemetry/log.ts';
import { Seldom } from '../telemetry/seldom.ts';

/** How soon the counters are asked again whether they take what is owed to them. */
const CHARGE_AGAIN_MS = 1000;

interface CallBlocksParts {
  readonly counters: CallBlocksOptions['counters'];
  readonly clock: Clock;
  readonly identifierKey: IdentifierKey;
  readonly liveNodes: () => number;
  readonly log: Logger;
}

/** Counts the calls of keys and projects, across the nodes; what goes wrong is logged once a second. */
export function callBlocks({ identifierKey, log, ...parts }: CallBlocksParts): CallBlocks {
  const seldom = new Seldom(parts.clock);
  return new CallBlocks({
    ...parts,
    later: (work) => setTimeout(work, CHARGE_AGAIN_MS).unref(),
    // No project is called so: nothing in a namespace meets it.
    keyOf: (subject) => identifierKey('calls', '', subject),
    onFault: (subject, error) => {
      if (!(error instanceof CountersError)) {
        log.error({ err: error, of: subject }, 'calls could not be counted');
        return;
      }
      const { fault, message } = error;
      seldom.run(fault, (suppressed) =>
        log.warn(
          { fault, of: subject, reason: message, ...(suppressed > 0 && { suppressed }) },
          "the counter store gave no answer; calls are counted by this node's share",
        ),
      );
    },
  });
}
