import type { FaultReaction } from '../../src/stores/redis/fault-reaction.ts';
import { FAULTS } from '../../src/stores/redis/fault-reactions.ts';

const INTRODUCTION = `<!-- Made by npm run docs out of src/stores/redis/fault-replies.ts and fault-conditions.ts: change it there. -->

# Faults of Redis, and what Brume does

Each fault has one reaction, which is the same for every call that meets it, and a test that brings a Redis
to it. For all of them:

- A check is answered within \`BRUME_REDIS_TIMEOUT_MS\`, or judged by the failure policy of its namespace, and
  then says \`degraded\` in its body, its header and the metrics.
- Nothing is queued for a connection that is away, and nothing that may have run is sent again. Each call
  carries the store time at which it is given up: one that Redis comes to later does nothing.
- \`brume_redis_faults_total\` counts by \`kind\` the calls and connections that failed. The line in the log comes
  at most every 30 seconds, and again after a good connection. \`brume status\` shows the state as it is.

In the column "connection":

- **keep**: it goes on, and the next check is sent.
- **hold**: for 100 ms no check is sent. Then one is, and as long as it has no answer no other. Where that one
  is refused too, it begins anew.
- **reconnect**: it is given up at once. A new one is greeted first (who are you, are you the master, what time
  is it), which costs no check anything; attempts come 50 ms to 1 s apart. With Sentinels it goes to the master
  that most of them name.
- **load**: the script's text is sent, once, and the check is answered.
- **follow**: the node that has the slot is asked, within the time of the check.

| fault | noticed by | a check gets | connection | kind | line in the log | what to do |
|---|---|---|---|---|---|---|
`;

/** docs/redis-faults.md */
export function redisFaultsPage(): string {
  return INTRODUCTION + Object.values<FaultReaction>(FAULTS).map(row).join('');
}

function row({ fault, message, noticed, check, link, kind, told, remedy }: FaultReaction): string {
  const cells = [
    fault,
    noticed ?? textOf(message),
    check === 'policy' ? 'the failure policy' : 'an answer',
    link,
    kind === null ? '–' : `\`${kind}\``,
    told ?? '–',
    remedy,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

/** The message without the signs of the expression. */
function textOf(message: RegExp | undefined): string {
  const parts = (message?.source ?? '')
    .split('|')
    .map((part) => part.replace(/^\^(-\?)?|\\b$|\(\?:\)|^\(\?:$|^\)$/g, '').replace('\\S+', '…'))
    .filter((part) => part !== '');
  return parts.length === 0 ? 'what fits no other line' : parts.map((part) => `\`${part}\``).join(', ');
}
