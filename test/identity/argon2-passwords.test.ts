import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { Argon2Passwords, COST } from '../../src/identity/argon2-passwords.ts';
import { parsePhcString } from '../../src/identity/phc-string.ts';
import { brumeError } from '../support/brume-error.ts';

const CHEAP = { memoryKib: 64, passes: 1, parallelism: 1 };

test('a hash is argon2id in PHC string form, salted afresh, and says what it cost', async () => {
  const passwords = new Argon2Passwords();
  const hash = await passwords.hash('correct horse battery');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await passwords.hash('correct horse battery'), hash);
  assert.deepEqual(await passwords.verify('correct horse battery', hash), {
    isMatch: true,
    isOutdated: false,
  });
  assert.deepEqual(await passwords.verify('correct horse batterz', hash), {
    isMatch: false,
    isOutdated: false,
  });
});

test('the tag is what RFC 9106 computes from the string as it stands there', async () => {
  const hash = await new Argon2Passwords(CHEAP).hash('correct horse battery');
  const parsed = parsePhcString(hash);
  assert.ok(parsed);
  const { salt: nonce, tag, memoryKib: memory, passes, parallelism } = parsed;
  const message = 'correct horse battery';
  const again = argon2Sync('argon2id', { message, nonce, memory, passes, parallelism, tagLength: 32 });
  assert.deepEqual(again, tag);
});

test('a hash of less effort still matches, and is to be renewed', async () => {
  const old = await new Argon2Passwords(CHEAP).hash('correct horse battery');
  const { isMatch, isOutdated } = await new Argon2Passwords({ ...COST }).verify('correct horse battery', old);
  assert.deepEqual({ isMatch, isOutdated }, { isMatch: true, isOutdated: true });
});

test('where nothing is stored nothing matches', async () => {
  const passwords = new Argon2Passwords(CHEAP);
  assert.equal((await passwords.verify('', null)).isMatch, false);
});

test('what is no such string is a fault and not a wrong password', async () => {
  for (const text of [
    '',
    'secret',
    '$argon2i$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$dGFn',
    '$argon2id$v=16$m=64,t=1,p=1$c$d',
  ]) {
    await assert.rejects(new Argon2Passwords(CHEAP).verify('x', text), /not argon2id/);
  }
});

test('a flood waits in a short queue, and what is beyond it is refused at once', async () => {
  const passwords = new Argon2Passwords(CHEAP);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () => passwords.verify('correct horse battery', null)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 34);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(brumeError('throttled_sign_in')(outcome.reason));
  }
  assert.equal((await passwords.verify('x', null)).isMatch, false, 'afterwards it goes on');
});
