import type { StoreProof } from '../../operations/prove-stores.ts';
import { printable } from '../printable.ts';
import { type Cell, details } from '../table.ts';

/** What `check-config --connect` says of the stores. */
export function proofText(
  proofs: readonly StoreProof[],
  {
    databaseUrl,
    redisUrl,
    stateDir,
  }: { databaseUrl: string | null; redisUrl: string | null; stateDir: string },
): string {
  const embedded = [
    ...(databaseUrl === null
      ? [`The configuration is embedded, in ${stateDir}: nothing to connect to.`]
      : []),
    ...(redisUrl === null ? [`The counters are embedded, in ${stateDir}: nothing to connect to.`] : []),
  ];
  return [...proofs.map(storeText), ...embedded.map(printable)].join('\n\n');
}

function storeText(proof: StoreProof): string {
  const { setting, isUsable, fault, remedy, warnings } = proof;
  if (!isUsable)
    return [`${setting}: can't be used: ${fault}`, ...(remedy === null ? [] : [`  ${remedy}.`])]
      .map(printable)
      .join('\n');
  return [
    `${setting}: connected`,
    indented(details(factsOf(proof))),
    ...warnings.map(({ text }) => printable(`  Warning: ${text}`)),
  ].join('\n');
}

function factsOf({ postgres, redis }: StoreProof): [string, Cell][] {
  if (postgres !== null) {
    const { version, role, isEncrypted, pending } = postgres;
    return [
      ['server', `PostgreSQL ${version}, ${role}, ${isEncrypted ? 'with TLS' : 'without TLS'}`],
      [
        'schema',
        pending.length === 0 ? 'up to date' : `${pending.length} migrations to apply at the next start`,
      ],
    ];
  }
  if (redis === null) return [];
  const { topology, servers, sentinels } = redis;
  return [
    ['topology', TOPOLOGIES[topology]],
    ...(sentinels.length === 0
      ? []
      : [
          [
            'sentinels',
            `${sentinels.filter(({ fault }) => fault === undefined).length} of ${sentinels.length} answer`,
          ] satisfies [string, Cell],
        ]),
    ...servers.flatMap(
      ({ place, version, role, replicas, answerMs, memory, persistence }): [string, Cell][] => [
        ['server', `${version}, ${role ?? 'role unknown'}, at ${place}, ${counted(replicas.length)}`],
        ...(answerMs === null ? [] : [['answers', `in ${answerMs.toFixed(1)} ms`] satisfies [string, Cell]]),
        [
          'memory',
          `${bytes(memory.usedBytes)} of ${memory.maxBytes === 0 ? 'all there is' : bytes(memory.maxBytes)}, ${memory.policy ?? 'policy unknown'}`,
        ],
        [
          'disk',
          `appendonly ${flag(persistence.isAppendOnly)}, save ${persistence.save === '' ? 'off' : (persistence.save ?? 'unknown')}`,
        ],
      ],
    ),
  ];
}

const TOPOLOGIES = { single: 'one server', sentinel: 'a master that Sentinels know', cluster: 'a cluster' };

const counted = (replicas: number) => `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
const flag = (isSet: boolean | undefined) => (isSet === undefined ? 'unknown' : isSet ? 'yes' : 'no');
const indented = (text: string) => text.replace(/^/gm, '  ');

function bytes(count: number | undefined): string {
  return count === undefined ? 'unknown' : `${(count / 1024 / 1024).toFixed(1)} MiB`;
}
