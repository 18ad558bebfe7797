import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrumeError } from '../../../../src/errors/catalogue.ts';
import { SignIn, type SignInDeps } from '../../../../src/planes/management/identity/sign-in.ts';
import { SignInThrottle } from '../../../../src/planes/management/identity/sign-in-throttle.ts';
import { brumeError } from '../../../support/brume-error.ts';
import { ManualTime } from '../../../support/manual-time.ts';

const ORIGIN = { address: '192.0.2.1', requestId: null };
const LINK = `brume_in_${'x'.repeat(43)}`;
const USER = {
  id: 'usr_1',
  login: 'anna',
  hasPassword: true,
  isDisabled: false,
  createdAtMs: 0,
  updatedAtMs: 0,
  passwordHash: 'hash',
};

/** Anna, whose password is `right`, and what is to go wrong besides. */
function start(faulty: {
  users?: Partial<SignInDeps['users']>;
  passwords?: Partial<SignInDeps['passwords']>;
}) {
  const time = new ManualTime();
  const refused: string[] = [];
  const faults = { isThere: true };
  const whileThere = <Port extends object>(given: Port, fault: Partial<Port>): Port =>
    new Proxy(given, {
      get: (port, name) => Reflect.get(faults.isThere && name in fault ? fault : port, name),
    });
  const users: SignInDeps['users'] = {
    findUser: async () => USER,
    findLogin: async (login) => (login === 'anna' ? USER : undefined),
    createSession: async (userId, session) => ({ ...session, userId, createdAtMs: 0, revokedAtMs: null }),
    revokeSession: async () => undefined,
    renewPasswordHash: async () => undefined,
    changePassword: async () => undefined,
    acceptInvitation: async () => {
      throw new BrumeError('unknown_invitation');
    },
  };
  const passwords: SignInDeps['passwords'] = {
    hash: async () => 'hash',
    verify: async (password, stored) => ({
      isMatch: stored !== null && password === 'right',
      isOutdated: false,
    }),
  };
  const signIn = new SignIn({
    users: whileThere(users, faulty.users ?? {}),
    passwords: whileThere(passwords, faulty.passwords ?? {}),
    sessionTokens: { issue: async () => 'token' },
    throttle: new SignInThrottle(time),
    watch: { onRefused: ({ because }) => refused.push(because) },
    clock: time,
    sessionMs: 60_000,
  });
  return { signIn, faults, refused };
}

const away = async (): Promise<never> => {
  throw new BrumeError('store_unavailable');
};
const isFull = async (): Promise<never> => {
  throw new BrumeError('throttled_sign_in', { retryAfterS: 1 });
};

for (const [what, faulty, code] of [
  ['the store is away', { users: { findLogin: away, acceptInvitation: away } }, 'store_unavailable'],
  ['too many passwords wait', { passwords: { verify: isFull, hash: isFull } }, 'throttled_sign_in'],
] as const) {
  test(`while ${what}, sign-ins and links count as no failures and are no refusals`, async () => {
    const { signIn, faults, refused } = start(faulty);
    for (let at = 0; at < 100; at++) {
      await assert.rejects(signIn.signIn('anna', 'right', ORIGIN), brumeError(code));
      await assert.rejects(signIn.acceptInvitation(LINK, 'a new password', ORIGIN), brumeError(code));
    }
    faults.isThere = false;
    assert.equal((await signIn.signIn('anna', 'right', ORIGIN)).token, 'token');
    assert.deepEqual(refused, []);
    for (let at = 0; at < 6; at++) {
      await assert.rejects(signIn.signIn('anna', 'wrong', ORIGIN), brumeError('unauthorized'));
    }
    await assert.rejects(signIn.signIn('anna', 'right', ORIGIN), brumeError('throttled_sign_in'));
    assert.deepEqual(refused, [...Array(6).fill('wrong'), 'throttled']);
  });
}

test('a fault behind the right password counts as no failure either', async () => {
  const { signIn } = start({ users: { createSession: away } });
  for (let at = 0; at < 100; at++) {
    await assert.rejects(signIn.signIn('anna', 'right', ORIGIN), brumeError('store_unavailable'));
  }
});
