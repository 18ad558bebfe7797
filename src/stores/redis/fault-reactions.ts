import type { CountersFault } from '../../limiter/counters.ts';

/** What a check gets: the failure policy of its namespace decides, or it is answered all the same. */
export type CheckReaction = 'policy' | 'answered';

/**
 * What the connection does. `keep`: goes on; the next check is sent. `hold`: refuses for a short while and
 * then lets single calls try. `reconnect`: is given up at once, and made anew, by Sentinel where the master
 * is now. `load`: sends the script's text once. `follow`: asks the node that has the slot.
 */
export type LinkReaction = 'keep' | 'hold' | 'reconnect' | 'load' | 'follow';

/** One fault of Redis and what is done about it; docs/redis-faults.md is made from these. */
export interface FaultReaction {
  /** Label `kind` of brume_redis_faults_total; null: nothing fails, so nothing is counted there. */
  readonly kind: string | null;
  /** What is the matter with Redis, in words. */
  readonly fault: string;
  /** How an error reply of Redis, or a fault of the connection, of this kind begins; absent: it has none. */
  readonly message?: RegExp;
  /** How else it is noticed, in words; if absent, by that message. */
  readonly noticed?: string;
  readonly check: CheckReaction;
  /** What the limiter is told where the policy decides. */
  readonly counters?: CountersFault;
  readonly link: LinkReaction;
  /** The line in the log; absent: there is none, as nothing fails. */
  readonly told?: string;
  /** What the operator does about it. */
  readonly remedy: string;
}

const UNAVAILABLE = { check: 'policy', counters: 'unavailable' } as const;

/** Error replies and faults of the connection. The first whose message fits holds; `other` fits always. */
export const REPLIES = {
  readonly: {
    ...UNAVAILABLE,
    kind: 'readonly',
    fault: 'A master that became a replica and kept the connection',
    message: /^-?READONLY\b/,
    link: 'reconnect',
    told: 'Redis is a replica now and refuses to count: looking for the master',
    remedy: 'None after a failover. Else let BRUME_REDIS_URL name the master, or the Sentinels.',
  },
  loading: {
    ...UNAVAILABLE,
    kind: 'loading',
    fault: 'A server that still reads its file after a start',
    message: /^-?LOADING\b|^it is reading its file/,
    link: 'reconnect',
    told: 'Redis is reading its file: waiting until it has',
    remedy: 'Wait. A smaller file loads sooner: Redis should be Brume’s alone.',
  },
  masterdown: {
    ...UNAVAILABLE,
    kind: 'masterdown',
    fault: 'A replica that lost its master',
    message: /^-?MASTERDOWN\b/,
    link: 'reconnect',
    told: 'Redis is a replica without its master: looking for the master',
    remedy: 'Let BRUME_REDIS_URL name the master, or the Sentinels; see why replication ended.',
  },
  replica: {
    ...UNAVAILABLE,
    kind: 'replica',
    fault: 'A server that is a replica when it is connected',
    message: /^it is a \S+, not the master/,
    link: 'reconnect',
    told: 'this Redis is a replica, in which nothing can be counted: asking again until it is the master',
    remedy: 'As for READONLY.',
  },
  no_master: {
    ...UNAVAILABLE,
    kind: 'no_master',
    fault: 'No Sentinel answers, or none knows the master',
    message: /^no Sentinel tells/,
    link: 'reconnect',
    told: 'no Sentinel tells where the master of Redis is',
    remedy: 'See to the Sentinels, and to their names in BRUME_REDIS_URL.',
  },
  moved: {
    check: 'answered',
    counters: 'unavailable',
    kind: 'moved',
    fault: 'A slot of a Redis Cluster that another node has',
    message: /^-?MOVED\b/,
    link: 'follow',
    remedy: 'None.',
  },
  ask: {
    check: 'answered',
    counters: 'unavailable',
    kind: 'ask',
    fault: 'A slot on its way, whose key is at its new node already',
    message: /^-?ASK\b/,
    link: 'follow',
    remedy: 'None.',
  },
  tryagain: {
    check: 'answered',
    counters: 'unavailable',
    kind: 'tryagain',
    fault: 'A slot on its way, of which some keys are here and some there',
    message: /^-?TRYAGAIN\b/,
    link: 'follow',
    remedy: 'None.',
  },
  clusterdown: {
    ...UNAVAILABLE,
    kind: 'clusterdown',
    fault: 'A Redis Cluster that lost a master without a replica, or its majority',
    message: /^-?CLUSTERDOWN\b/,
    link: 'hold',
    told: 'the Redis Cluster is down, as it says itself',
    remedy: 'Bring the lost nodes back; `redis-cli --cluster check` names them.',
  },
  noscript: {
    kind: 'noscript',
    fault: 'Scripts that are gone: SCRIPT FLUSH, a restart, a failover',
    message: /^-?NOSCRIPT\b/,
    check: 'answered',
    link: 'load',
    remedy: 'None. The first call that meets it sends the text, those behind it only its name.',
  },
  oom: {
    check: 'policy',
    counters: 'full',
    kind: 'oom',
    fault: 'Memory up to maxmemory, and nothing that may be evicted',
    message: /^-?OOM\b/,
    link: 'keep',
    told: 'Redis is out of memory and refuses to count',
    remedy: 'Raise maxmemory, or remove what isn’t Brume’s. Leave maxmemory-policy at noeviction.',
  },
  misconf: {
    ...UNAVAILABLE,
    kind: 'misconf',
    fault: 'A full or failing disk, with an append-only file or snapshots',
    message: /^-?MISCONF\b/,
    link: 'keep',
    told: 'Redis can not write its file and refuses to count',
    remedy: 'Free the disk. `stop-writes-on-bgsave-error no` counts on without snapshots.',
  },
  noreplicas: {
    ...UNAVAILABLE,
    kind: 'noreplicas',
    fault: 'Fewer good replicas than min-replicas-to-write',
    message: /^-?NOREPLICAS\b/,
    link: 'keep',
    told: 'Redis has too few replicas for its min-replicas-to-write and refuses to count',
    remedy: 'Bring the replicas back, or lower min-replicas-to-write.',
  },
  noauth: {
    ...UNAVAILABLE,
    kind: 'noauth',
    fault: 'A password that Redis asks for and doesn’t get',
    message: /^-?NOAUTH\b/,
    link: 'reconnect',
    told: 'Redis asks for a password',
    remedy: 'Set BRUME_REDIS_PASSWORD, or write it into BRUME_REDIS_URL.',
  },
  wrongpass: {
    ...UNAVAILABLE,
    kind: 'wrongpass',
    fault: 'A wrong password, or a user that is off',
    message: /^-?WRONGPASS\b|^-?ERR invalid password|^-?ERR AUTH\b/,
    link: 'reconnect',
    told: 'Redis does not accept the password or the user',
    remedy: 'Compare the user and the password with the ACL of Redis.',
  },
  noperm: {
    ...UNAVAILABLE,
    kind: 'noperm',
    fault: 'A right that the ACL user lacks',
    message: /^-?NOPERM\b|^-?ERR The user executing the script/,
    link: 'keep',
    told: 'the ACL user of Redis lacks a right',
    remedy: '`brume check-config --connect` names what is missing.',
  },
  busy: {
    ...UNAVAILABLE,
    kind: 'busy',
    fault: 'A long script of somebody else’s',
    message: /^-?BUSY\b/,
    link: 'hold',
    told: 'Redis is busy with a long script',
    remedy: '`redis-cli script kill`. Keep other programs out of this Redis.',
  },
  unkillable: {
    ...UNAVAILABLE,
    kind: 'busy',
    fault: 'A long script of somebody else’s that has written: SCRIPT KILL is answered with UNKILLABLE',
    message: /^-?UNKILLABLE\b/,
    noticed: 'calls that are answered with BUSY',
    link: 'hold',
    told: 'Redis is busy with a long script',
    remedy: 'Wait for its end, or end Redis by SHUTDOWN NOSAVE and let a replica take over.',
  },
  execabort: {
    ...UNAVAILABLE,
    kind: 'execabort',
    fault: 'A transaction that was refused; Brume makes none, a proxy in front of Redis may',
    message: /^-?EXECABORT\b/,
    link: 'keep',
    told: 'Redis refused a transaction',
    remedy: 'Connect to Redis without that proxy.',
  },
  protocol: {
    ...UNAVAILABLE,
    kind: 'protocol',
    fault: 'Bytes that are no Redis protocol: another service on that port, TLS on one side only',
    message: /Protocol error|Unknown RESP type|Command queue state error/,
    link: 'reconnect',
    told: 'what answers there does not speak the protocol of Redis',
    remedy: 'Correct BRUME_REDIS_URL: port, redis:// or rediss://.',
  },
  refused: {
    ...UNAVAILABLE,
    kind: 'refused',
    fault: 'Nobody listens there, or the way is barred',
    message: /ECONNREFUSED|ENOENT|EACCES|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|certificate/,
    link: 'reconnect',
    told: 'Redis can not be connected',
    remedy: 'Start Redis; correct BRUME_REDIS_URL.',
  },
  not_connected: {
    ...UNAVAILABLE,
    kind: 'not_connected',
    fault: 'A check while there is no connection, or the circuit is open',
    message: /^Redis is not connected|^Stream isn't writeable/,
    noticed: 'no connection that was greeted; nothing is queued',
    link: 'keep',
    told: 'the counter store gave no answer; the failure policy decided',
    remedy: 'The lines before it say why there is none.',
  },
  lost: {
    check: 'policy',
    // It may have been counted, as one that has no answer.
    counters: 'timeout',
    kind: 'lost',
    fault: 'A connection that ended in mid-call: a crash, a failover, CLIENT KILL',
    message: /Connection is closed|ERR max number of clients|closed the connection|ECONNRESET|EPIPE/,
    link: 'reconnect',
    told: 'the connection to Redis ended',
    remedy: 'None if Redis comes back. What was under way is never sent again: it may have been counted.',
  },
  no_answer: {
    check: 'policy',
    counters: 'timeout',
    kind: 'no_answer',
    fault: 'A server that hangs (SIGSTOP, a stuck disk)',
    message: /gave no answer in|did not say what time it is|ETIMEDOUT/,
    noticed: 'calls without an answer; after three in a row and two deadlines of silence the circuit opens',
    link: 'reconnect',
    told: 'Redis does not answer; connecting anew',
    remedy: 'Look after that host. With Sentinels another master takes over.',
  },
  late: {
    check: 'policy',
    counters: 'timeout',
    kind: 'late',
    fault: 'A call that reached Redis after its deadline, and did nothing there',
    message: /reached Redis too late/,
    noticed: 'the script, by the deadline that each call carries',
    link: 'keep',
    told: 'the counter store gave no answer; the failure policy decided',
    remedy: 'Seldom ones need none. Else Redis, the network or this node is too busy.',
  },
  other: {
    ...UNAVAILABLE,
    kind: 'other',
    fault: 'Any other error',
    message: /(?:)/,
    link: 'keep',
    told: 'Redis answers with an error',
    remedy: 'The log has its text.',
  },
} as const satisfies Record<string, FaultReaction & { readonly kind: string; readonly message: RegExp }>;

export type ReplyFault = keyof typeof REPLIES;
export type FaultKind = (typeof REPLIES)[ReplyFault]['kind'];

/** What shows in another way than by a message of its own. */
export const CONDITIONS = {
  wrongtype: {
    check: 'policy',
    counters: 'corrupt',
    kind: null,
    fault: 'A key of Brume’s that is damaged, or of another type',
    noticed: 'the script, which meets WRONGTYPE or can’t read the text, and removes it',
    link: 'keep',
    told: 'counter state was damaged and has been removed; the failure policy decided',
    remedy: 'Find out who writes into this Redis: it should be Brume’s alone.',
  },
  cluster_as_single: {
    ...UNAVAILABLE,
    kind: 'moved',
    fault: 'A node of a Redis Cluster that is asked as if it were alone',
    noticed: '`MOVED`, `ASK`, `TRYAGAIN` where BRUME_REDIS_URL doesn’t begin with redis+cluster',
    link: 'keep',
    told: 'this Redis is a node of a Cluster, and is asked as if it were alone',
    remedy: 'Begin BRUME_REDIS_URL with redis+cluster://.',
  },
  max_clients: {
    ...UNAVAILABLE,
    kind: 'lost',
    fault: 'As many clients as maxclients',
    noticed: 'connections that end before they are greeted; why, Redis says too late to be read',
    link: 'reconnect',
    told: 'the connection to Redis ended',
    remedy: 'Raise maxclients, or end what keeps connections. A node of Brume keeps one to each Redis.',
  },
  half_open: {
    check: 'policy',
    counters: 'timeout',
    kind: 'no_answer',
    fault: 'A half-open connection: the other end is gone and nobody said so',
    noticed: 'as for a server that hangs',
    link: 'reconnect',
    told: 'Redis does not answer; connecting anew',
    remedy: 'None: the new connection works, or is refused.',
  },
  flushed: {
    kind: null,
    fault: 'FLUSHALL, FLUSHDB',
    noticed: 'the mark that Brume keeps in Redis is gone, at the latest after BRUME_QUOTA_CHECKPOINT_MS',
    check: 'answered',
    link: 'keep',
    told: 'the counters lost what they had counted: limits begin anew, quotas are restored',
    remedy: 'Don’t. Blocks, exemptions and overrides hold all the same; windows begin anew.',
  },
  replaced: {
    kind: null,
    fault: 'Another server in the same place, or the same one started again without its data',
    noticed: 'the run_id of the server at each connection',
    check: 'answered',
    link: 'keep',
    told: 'another Redis server, or the same one started again, counts now',
    remedy: 'Quotas are restored by themselves. See why it was replaced.',
  },
  failover_in_call: {
    check: 'policy',
    counters: 'timeout',
    kind: 'lost',
    fault: 'A failover while a call is under way',
    noticed: 'the connection ends, or READONLY',
    link: 'reconnect',
    told: 'the connection to Redis ended',
    remedy: 'None. The call is never sent again: it may have been counted by the former master.',
  },
  monitor: {
    kind: null,
    fault: 'MONITOR running',
    noticed: 'not noticed; MONITOR shows hashed identifiers only',
    check: 'answered',
    link: 'keep',
    remedy: 'End it: it costs Redis a good part of its speed.',
  },
  slow_replicas: {
    kind: null,
    fault: 'Replicas that lag behind',
    noticed: '`brume check-config --connect`; checks don’t wait for replicas',
    check: 'answered',
    link: 'keep',
    remedy: 'See to the replicas: what they have not received is lost in a failover.',
  },
  may_evict: {
    kind: null,
    fault: 'A maxmemory-policy that may evict counters',
    noticed: 'asked at each connection and once a minute, with the keys that were evicted',
    check: 'answered',
    link: 'keep',
    told: 'Redis may evict counters, and then admits more than their limits',
    remedy: '`CONFIG SET maxmemory-policy noeviction`, and in its file.',
  },
} as const satisfies Record<string, FaultReaction>;

export const FAULTS: Readonly<Record<string, FaultReaction>> = { ...REPLIES, ...CONDITIONS };

/** Values of the label `kind`. */
export const FAULT_KINDS: readonly FaultKind[] = [...new Set(Object.values(REPLIES).map(({ kind }) => kind))];

/** What a failed call or connection shows of Redis. */
export function reactionTo(message: string): (typeof REPLIES)[ReplyFault] {
  return Object.values(REPLIES).find((reply) => reply.message.test(message)) ?? REPLIES.other;
}
