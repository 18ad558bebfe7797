import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectFault } from '../../../src/stores/redis/advice/connect-fault.ts';
import type { Spoken } from '../../../src/stores/redis/advice/next-step.ts';
import { reactionTo } from '../../../src/stores/redis/fault-reactions.ts';

const PLAIN = { username: undefined, password: undefined, tls: undefined };
const BY_TLS = { ...PLAIN, tls: { ca: 'CA' } };
const TO_SERVER: Spoken = { to: 'server', login: PLAIN, isKnown: false };

test('what to do about a fault never makes another kind of it', () => {
  for (const [message, kind] of [
    ['NOAUTH HELLO must be called with the client already authenticated, otherwise', 'noauth'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'wrongpass'],
    ["NOPERM User brume has no permissions to run the 'select' command", 'noperm'],
    ['ERR DB index is out of range', 'no_database'],
    ['ERR max number of clients reached', 'max_clients'],
    ['DENIED Redis is running in protected mode because', 'refused'],
    ['Unknown RESP type 72 "H". Please report this.', 'protocol'],
    ['read ECONNRESET', 'lost'],
    ['write EPIPE', 'lost'],
    ['it closed the connection', 'lost'],
    ['it gave no answer in 1500 ms', 'no_answer'],
    ['it answers in 80 ms, and BRUME_REDIS_TIMEOUT_MS is 50', 'slow'],
    ['it is reading its file', 'loading'],
    ['it is a slave, not the master', 'replica'],
    ['it is a Sentinel, not a server', 'sentinel'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'refused'],
    ['getaddrinfo ENOTFOUND nowhere', 'refused'],
    ['connect ETIMEDOUT', 'no_answer'],
  ] as const) {
    assert.equal(reactionTo(message).kind, kind);
    for (const isKnown of [false, true])
      for (const login of [PLAIN, BY_TLS])
        assert.equal(
          reactionTo(connectFault(new Error(message), { to: 'server', login, isKnown }).message).kind,
          kind,
        );
  }
});

test('a server in protected mode is not to be started', () => {
  const { remedy } = connectFault(new Error('DENIED Redis is running in protected mode because'), TO_SERVER);
  assert.match(remedy ?? '', /protected mode: give it a password/);
});

test('a certificate is why nobody is let in, and the text ends in what to do', () => {
  const to: Spoken = { to: 'server', login: BY_TLS, isKnown: false };
  for (const [message, remedy] of [
    ['self-signed certificate', /^BRUME_REDIS_TLS_CA/],
    [
      "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
      /^The certificate has to name/,
    ],
    ['certificate has expired', /^Renew/],
    ['certificate is not yet valid', /clock/],
    ['40:error:0A00045C:SSL routines:f:tlsv13 alert certificate required:a.c:1:', /client certificate/],
  ] as const) {
    const fault = connectFault(new Error(message), to);
    assert.match(fault.remedy ?? '', remedy);
    assert.doesNotMatch(fault.message, /: :|\n|routines/);
    assert.equal(reactionTo(fault.message).kind, 'refused');
  }
});

test('where Redis was spoken with a moment ago, what ends a connection is no matter of TLS or of the URL', () => {
  for (const message of ['read ECONNRESET', 'write EPIPE', 'it closed the connection']) {
    const before = connectFault(new Error(message), TO_SERVER);
    assert.match(before.remedy ?? '', /begin with rediss/);
    const after = connectFault(new Error(message), { ...TO_SERVER, isKnown: true });
    assert.equal(after.remedy, undefined);
    const byTls = connectFault(new Error(message), { ...TO_SERVER, login: BY_TLS, isKnown: true });
    assert.match(byTls.remedy ?? '', /maxclients/);
  }
});
