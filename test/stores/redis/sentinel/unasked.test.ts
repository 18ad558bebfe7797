import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { RedisFault } from '../../../../src/stores/redis/advice/redis-fault.ts';
import { proveRedis } from '../../../../src/stores/redis/proof/prove-redis.ts';
import { redisWarnings } from '../../../../src/stores/redis/proof/redis-warnings.ts';
import type { RedisAccess } from '../../../../src/stores/redis/redis-address.ts';
import { freePort } from '../../../support/free-port.ts';
import { type SentinelRigOptions, startSentinels } from '../../../support/sentinels.ts';
import { selfSigned } from '../../../support/tls-identity.ts';

const SENTINEL = { username: undefined, password: undefined, tls: 'same' } as const;

async function rigFor(t: TestContext, options: SentinelRigOptions) {
  const rig = await startSentinels({ replicas: 0, sentinels: 1, ...options });
  t.after(() => rig.stop());
  return rig;
}

function prove(url: string, access: RedisAccess) {
  return proveRedis({ url, access, clock: systemClock, timeoutMs: 2000 });
}

async function faultAt(url: string, access: RedisAccess): Promise<string> {
  const error = await prove(url, access).catch((reason: unknown) => reason);
  assert.ok(error instanceof Error, `${url} can be used`);
  return error.message;
}

describe('a Sentinel that does not let itself be asked', { timeout: 60_000 }, () => {
  it('for a password says which setting it is, and that the one in the URL never goes there', async (t) => {
    const rig = await rigFor(t, { password: 'servers', sentinelPassword: 'sentinels' });
    const url = rig.url.replace('//', '//:servers@');
    const none = await faultAt(url, {});
    assert.match(none, /NOAUTH.*Set BRUME_REDIS_SENTINEL_PASSWORD: a password in BRUME_REDIS_URL.* alone/);
    assert.doesNotMatch(none, /is away|HELLO/);
    const wrong = await faultAt(url, { sentinel: { ...SENTINEL, password: 'guess' } });
    assert.match(wrong, /no Sentinel tells.*WRONGPASS.*that of the user default of this Sentinel/);
    const right = { ...SENTINEL, password: 'sentinels' };
    const ofServer = await faultAt(rig.url, { password: 'guess', sentinel: right });
    assert.match(ofServer, new RegExp(`^127\\.0\\.0\\.1:${rig.servers[0]?.port}: WRONGPASS.*of this server`));
    for (const fault of [wrong, ofServer]) assert.doesNotMatch(fault, /guess/);
  });

  it('by TLS says what of TLS is amiss, and not that it is away', async (t) => {
    const [own, other] = [selfSigned(t), selfSigned(t)];
    const rig = await rigFor(t, { sentinelTls: own });
    const sentinel = { ...SENTINEL, tls: 'on' } as const;
    const unknown = await faultAt(rig.url, { tls: { ca: other.cert }, sentinel });
    assert.match(unknown, /can't be asked: .*: BRUME_REDIS_TLS_CA has to hold who signed the Sentinel's/);
    const unnamed = await faultAt(rig.url, { tls: { ca: own.cert }, sentinel });
    assert.match(unnamed, /can't be asked: .*BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY/);
    assert.match(await faultAt(rig.url, {}), /can't be asked: .*set BRUME_REDIS_SENTINEL_TLS=on/);
    const plain = await rigFor(t, { firstId: 2 });
    assert.match(
      await faultAt(plain.url, { sentinel }),
      /can't be asked: .*set BRUME_REDIS_SENTINEL_TLS=off/,
    );
  });

  it('is one that nobody reaches, where no Sentinel is', async () => {
    const place = `127.0.0.1:${await freePort()}`;
    const error = await prove(`redis+sentinel://${place}/mymaster`, {}).catch((reason: unknown) => reason);
    assert.ok(error instanceof RedisFault);
    assert.match(error.said, new RegExp(`${place} is away: connect ECONNREFUSED ${place}$`));
    assert.match(error.remedy ?? '', /^See to the Sentinels/);
  });

  it('beside others that do is warned of with the same words', async (t) => {
    const rig = await rigFor(t, {});
    const closed = await rigFor(t, { sentinelPassword: 'sentinels', firstId: 2 });
    const url = rig.url.replace('/mymaster', `,127.0.0.1:${closed.sentinels[0]?.port}/mymaster`);
    const [away] = redisWarnings(await prove(url, {})).filter(({ code }) => code === 'sentinel_away');
    assert.match(away?.text ?? '', /tells nothing of the master: .*Set BRUME_REDIS_SENTINEL_PASSWORD/);
  });
});
