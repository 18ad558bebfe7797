import { stateBy } from '../../src/stores/redis/condition-of.ts';
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
- **reconnect**: it is given up at once, and the circuit is open: no check waits. A new one is greeted first (who
  are you, are you the master), and then a script writes a key of its own and removes it, as a check would
  write. Checks are sent again once that is answered within \`BRUME_REDIS_TIMEOUT_MS\`, be it with an error
  of a row that keeps the connection. That Redis answers PING, TIME or INFO closes no circuit. It is tried once
  at a time; a connection on which it has no answer after 1.5 s is given up, and the next comes 50 ms to 1 s
  later. With Sentinels it goes to the master that most of them name.
- **load**: the script's text is sent, once, and the check is answered.
- **follow**: the node that has the slot is asked, within the time of the check.

A server that hangs costs checks their time until the circuit is open; an error costs none. The column "\`/ready\`"
is what \`/ready\`, \`GET /v1/status\` and \`brume status\` call the counters then, with the kind beside it. They
ask by the same script, at most once a second however often they are asked themselves. A Redis that is \`full\` or
\`read_only\` still answers what writes nothing: peeks, and denials of whoever is over the limit. \`not_owned\` in
place of a kind says that Redis is well, but has not confirmed that it is this installation's.

| fault | noticed by | a check gets | connection | \`/ready\` | kind | line in the log | what to do |
|---|---|---|---|---|---|---|---|
`;

/** docs/redis-faults.md */
export function redisFaultsPage(): string {
  return INTRODUCTION + Object.values<FaultReaction>(FAULTS).map(row).join('');
}

function row(reaction: FaultReaction): string {
  const { fault, message, noticed, check, link, kind, told, remedy } = reaction;
  const cells = [
    fault,
    noticed ?? textOf(message),
    check === 'policy' ? 'the failure policy' : 'an answer',
    link,
    `\`${stateBy(reaction)}\``,
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
