/**
 * What the protection of the data plane costs: nanoseconds of CPU time a call for the address filter,
 * against the look-up of a key that it spares, and for the calls of a key; and the memory of a full filter.
 *
 *     node --expose-gc scripts/measure-protection.ts [--calls 400000]
 */
import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { CallBlocks } from '../src/limiter/calls/call-blocks.ts';
import { rateCeiling } from '../src/limiter/calls/call-ceiling.ts';
import { systemClock } from '../src/limiter/clock.ts';
import { AddressFilterTable } from '../src/planes/hooks/address-filter-table.ts';
import { clientAddress } from '../src/planes/hooks/client-address.ts';
import { proxyTrust } from '../src/planes/hooks/proxy-trust.ts';
import { KeyCache } from '../src/stores/cache/key-cache.ts';
import { systemTimers } from '../src/stores/cache/timers.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '400000' } } });
const CALLS = Number(values.calls);
const ROUNDS = 3;

const trust = proxyTrust(['127.0.0.0/8']);
const proxy = { address: '127.0.0.1', isTrusted: true };
const ipv4 = (n: number) => `${11 + (n >> 24)}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const ipv6 = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

function filter(): AddressFilterTable {
  return new AddressFilterTable({ rate: 100, burst: 1000, ipv6Prefix: 64, clock: systemClock });
}

function emptyKeys(): KeyCache {
  return new KeyCache({
    directory: { find: async () => undefined },
    clock: systemClock,
    timers: systemTimers,
    keyCacheMs: 60_000,
    unknownKeyCacheMs: 5000,
    keyLookupTimeoutMs: 250,
  });
}

const WORK: Readonly<Record<string, () => (n: number) => unknown>> = {
  'address filter: one address over its rate': () => {
    const table = filter();
    return () => table.take(table.keyOf('203.0.113.1'));
  },
  'address filter: each from a new IPv4 address': () => {
    const table = filter();
    return (n) => table.take(table.keyOf(ipv4(n)));
  },
  'address filter: each from a new IPv6 network': () => {
    const table = filter();
    return (n) => table.take(table.keyOf(ipv6(n)));
  },
  'address filter: a valid key, taken and given back': () => {
    const table = filter();
    return () => {
      table.take('203.0.113.1');
      table.giveBack('203.0.113.1');
    };
  },
  'the client behind a proxy, by X-Forwarded-For': () => (n) => clientAddress(proxy, [ipv4(n)], trust),
  'key look-up it spares: hash, cache, a store that answers at once': () => {
    const keys = emptyKeys();
    return (n) => keys.find(hash('sha256', Buffer.from(`brume_sk_${n}`, 'latin1'), 'hex'));
  },
  'calls of a key: within its rate': () => {
    const counters = new EmbeddedCounters({ clock: systemClock, identifiersMax: 1000 });
    const keyOf = () => 'k'.repeat(22);
    const blocks = new CallBlocks({
      counters,
      clock: systemClock,
      keyOf,
      liveNodes: () => 1,
      onFault: () => {},
    });
    const ceiling = rateCeiling(1_000_000, 1_000_000);
    return () => blocks.take('key', ceiling);
  },
};

for (const [name, prepare] of Object.entries(WORK)) {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuNs(prepare()));
  console.log(`${name}: ${Math.round(Math.min(...rounds))} ns`);
}

const before = bytesUsed();
const full = filter();
for (let n = 0; n < 1_000_000; n++) full.take(full.keyOf(ipv6(n)));
console.log(`a full filter: ${full.size} addresses, ${((bytesUsed() - before) / 1e6).toFixed(1)} MB`);

async function cpuNs(work: (n: number) => unknown): Promise<number> {
  const start = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) {
    const result = work(n);
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / CALLS;
}

function bytesUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
