import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { HmacSessionTokens } from '../../src/identity/session-tokens.ts';
import { ManualTime } from '../support/manual-time.ts';

const SECRET = Buffer.alloc(32, 7);

function start(secret: Uint8Array = SECRET) {
  const time = new ManualTime();
  return { time, tokens: new HmacSessionTokens(secret, { clock: time, clockToleranceMs: 30_000 }) };
}

const claims = { sessionId: 'ses_1', userId: 'usr_1' };

test('what was issued on one node is good on another of the same installation, and on no other', async () => {
  const { time, tokens } = start();
  const token = await tokens.issue({ ...claims, expiresAtMs: time.nowMs() + 3_600_000 });
  assert.deepEqual(await start().tokens.verify(token), claims);
  assert.equal(await start(Buffer.alloc(32, 8)).tokens.verify(token), undefined);
});

test("the installation's secret itself signs nothing", async () => {
  const { time, tokens } = start();
  const token = await new SignJWT({ sid: 'ses_1' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('brume')
    .setAudience('brume-control')
    .setSubject('usr_1')
    .setExpirationTime(time.nowMs() / 1000 + 3600)
    .sign(SECRET);
  assert.equal(await tokens.verify(token), undefined);
});

test('a token ends with its session, but for the tolerance of clocks', async () => {
  const { time, tokens } = start();
  const token = await tokens.issue({ ...claims, expiresAtMs: time.nowMs() + 60_000 });
  await time.advance(89_000);
  assert.deepEqual(await tokens.verify(token), claims);
  await time.advance(2000);
  assert.equal(await tokens.verify(token), undefined);
});
