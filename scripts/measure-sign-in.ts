/**
 * Whether the time of a refused sign-in tells if there is such a login: medians over a database on disk, the
 * cases by turns, and a case against itself, which is the noise. And what a hash costs.
 *
 *     node scripts/measure-sign-in.ts [--samples 100]
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Argon2Passwords } from '../src/identity/argon2-passwords.ts';
import { HmacSessionTokens } from '../src/identity/session-tokens.ts';
import { systemClock } from '../src/limiter/clock.ts';
import { SignIn } from '../src/planes/management/identity/sign-in.ts';
import { SignInThrottle } from '../src/planes/management/identity/sign-in-throttle.ts';
import { migrate } from '../src/stores/sql/migrate.ts';
import { openSql } from '../src/stores/sql/open-sql.ts';
import { SqlUserStore } from '../src/stores/sql/sql-user-store.ts';

const { values } = parseArgs({ options: { samples: { type: 'string', default: '100' } } });
const SAMPLES = Number(values.samples);
const HERE = { name: 'local:measure', address: null, requestId: null };
const CASES = [
  'no such login',
  'wrong password',
  'no such login',
  'wrong password',
  'disabled',
  'no password',
];
const LOGINS: Readonly<Record<string, string>> = {
  'no such login': 'nobody',
  'wrong password': 'anna',
  disabled: 'bert',
  'no password': 'carl',
};

const stateDir = mkdtempSync(join(tmpdir(), 'brume-sign-in-'));
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const sql = await openSql({ databaseUrl: null, stateDir, sqlTimeoutMs: 10_000 }, log);
try {
  await migrate(sql);
  const users = new SqlUserStore(sql);
  const passwords = new Argon2Passwords();
  for (const login of ['anna', 'bert', 'carl']) {
    const { id } = await users.createUser(login, HERE);
    if (login === 'carl') continue;
    const sha256 = randomBytes(32).toString('hex');
    await users.createInvitation(id, { sha256, expiresAtMs: Date.now() + 60_000 }, HERE);
    await users.acceptInvitation(sha256, await passwords.hash('correct horse battery'));
    if (login === 'bert') await users.disableUser(id, true, HERE);
  }
  const clock = systemClock;
  const signIn = new SignIn({
    users,
    passwords,
    sessionTokens: new HmacSessionTokens(randomBytes(32), { clock, clockToleranceMs: 0 }),
    watch: { onRefused: () => undefined },
    // Minutes pass between two attempts, or it would be measured how guessing is slowed down.
    throttle: new SignInThrottle({ monotonicMs: passing() }),
    clock,
    sessionMs: 60_000,
  });
  await measure(signIn);
} finally {
  await sql.close();
  rmSync(stateDir, { recursive: true });
}

async function measure(signIn: SignIn): Promise<void> {
  const times = CASES.map(() => new Float64Array(SAMPLES));
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let turn = 0; turn < CASES.length; turn++) {
      const at = (turn + sample) % CASES.length;
      const login = LOGINS[CASES[at] ?? ''] ?? '';
      const startMs = performance.now();
      await signIn.signIn(login, 'a wrong password', HERE).catch(() => undefined);
      (times[at] as Float64Array)[sample] = performance.now() - startMs;
    }
  }
  CASES.forEach((name, at) => {
    const sorted = times[at]?.sort() ?? [];
    const [median, p95] = [sorted[SAMPLES >> 1] ?? 0, sorted[Math.floor(SAMPLES * 0.95)] ?? 0];
    console.log(`${name.padEnd(16)} median ${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`);
  });
}

function passing(): () => number {
  let nowMs = 0;
  return () => {
    nowMs += 3_600_000;
    return nowMs;
  };
}
