import type { RedisLogin } from './redis-address.ts';

interface Hint {
  readonly message: RegExp;
  /** In the words of reactionTo(): of a certificate only where that is what is amiss. */
  readonly hint: string;
}

const BY_TLS: readonly Hint[] = [
  {
    message: /self-signed|unable to (verify|get)|issuer/,
    hint: "BRUME_REDIS_TLS_CA has to hold who signed the server's certificate",
  },
  { message: /altnames/, hint: 'the certificate has to name the host as the URL does' },
  {
    message: /certificate required|handshake failure/,
    hint: 'the server asks for a client certificate: BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY',
  },
  {
    message: /alert (unknown ca|bad certificate|certificate|unsupported certificate|decrypt)/,
    hint: 'the server does not accept the client certificate in BRUME_REDIS_TLS_CERT',
  },
  {
    message: /ETIMEDOUT|wrong version number|packet length too long/,
    hint: 'if no TLS is spoken at that port, the URL has to begin with redis instead of rediss',
  },
];
const BY_TLS_UNNAMED: Hint = {
  message: /ECONNRESET|EPIPE|socket disconnected before secure/,
  hint: 'if the server asks clients who they are, set BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY',
};
const WITHOUT_TLS: readonly Hint[] = [
  {
    message: /ECONNRESET|Protocol error, got "\\u0015"/,
    hint: 'if TLS is spoken at that port, the URL has to begin with rediss instead of redis',
  },
];

/**
 * Why a connection was not made, with what to do where TLS may be why. What OpenSSL says is shortened to the words
 * of its message, and of Node.js's advice about its own options nothing is left.
 */
export function connectFault(error: Error, { tls }: Pick<RedisLogin, 'tls'>): Error {
  const text = error.message
    .replace(/^.*error:[0-9A-F]+:SSL routines:[^:]*:([^:\n]+).*$/s, 'TLS: $1')
    .replace(/; if the root CA is installed locally.*$/s, '');
  const byTls = tls?.cert === undefined ? [...BY_TLS, BY_TLS_UNNAMED] : BY_TLS;
  const hints = tls === undefined ? WITHOUT_TLS : byTls;
  const hint = hints.find(({ message }) => message.test(text))?.hint;
  if (hint === undefined && text === error.message) return error;
  return new Error(hint === undefined ? text : `${text}: ${hint}`, { cause: error });
}
