import { type FaultKind, reactionTo } from '../fault-reactions.ts';
import type { RedisLogin } from '../redis-address.ts';

/** Who was spoken to, and how. */
export interface Spoken {
  readonly to: 'server' | 'sentinel';
  readonly login: RedisLogin;
  /** It answered in this way before: the way to it is right. */
  readonly isKnown: boolean;
}

interface Hint {
  readonly message: RegExp;
  /** In the words of reactionTo(): of a certificate only where that is what is amiss. */
  readonly step: Readonly<Record<Spoken['to'], string>>;
}

const both = (step: string) => ({ server: step, sentinel: step });
const CLIENT_CERTIFICATE = 'BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY';

const OF_CERTIFICATES: readonly Hint[] = [
  {
    message: /self-signed|unable to (verify|get)|issuer/,
    step: {
      server: "BRUME_REDIS_TLS_CA has to hold who signed the server's certificate",
      sentinel: "BRUME_REDIS_TLS_CA has to hold who signed the Sentinel's certificate",
    },
  },
  {
    message: /altnames/,
    step: both('The certificate has to name that host or address, by which it is called'),
  },
  { message: /certificate has expired/, step: both('Renew the certificate that is shown there') },
  {
    message: /certificate is not yet valid/,
    step: both('See whether the clock of this machine is right, and from when on that certificate holds'),
  },
  {
    message: /certificate required|handshake failure/,
    step: both(`The other side asks for a client certificate: set ${CLIENT_CERTIFICATE}`),
  },
  {
    message: /alert (unknown ca|bad certificate|certificate|unsupported certificate|decrypt)/,
    step: both('The other side does not accept the client certificate in BRUME_REDIS_TLS_CERT'),
  },
];
const WHERE_TLS_IS_NOT: Hint = {
  message: /ETIMEDOUT|wrong version number|packet length too long|^no answer in/,
  step: {
    server: 'If no TLS is spoken at that port, BRUME_REDIS_URL has to begin with redis instead of rediss',
    sentinel: 'If the Sentinels speak no TLS, set BRUME_REDIS_SENTINEL_TLS=off',
  },
};
const UNNAMED: Hint = {
  message: /ECONNRESET|EPIPE|socket disconnected before secure|closed the connection/,
  step: both(`If the other side asks clients who they are, set ${CLIENT_CERTIFICATE}`),
};
const WHERE_TLS_IS: Hint = {
  message: /ECONNRESET|EPIPE|closed the connection|Protocol error, got "\\u0015"/,
  step: {
    server: 'If TLS is spoken at that port, BRUME_REDIS_URL has to begin with rediss instead of redis',
    sentinel: 'If the Sentinels speak TLS, set BRUME_REDIS_SENTINEL_TLS=on',
  },
};
/** Before TLS there is nobody to tell it to. */
const FULL_BY_TLS: Hint = {
  message: UNNAMED.message,
  step: both('See whether it still runs, and whether it has as many clients as its maxclients'),
};

const WRONG_LOGIN = /^-?WRONGPASS\b|^-?ERR invalid password|^-?ERR AUTH\b/;
/** Of passwords, for which the row of the table is too short. */
const OF_LOGINS: readonly (Hint & { readonly isFor?: (login: RedisLogin) => boolean })[] = [
  {
    message: /^-?DENIED\b/,
    step: both('It is in protected mode: give it a password, or have it bind to the address that is called'),
  },
  {
    message: /^-?NOAUTH\b/,
    step: {
      server: 'Set BRUME_REDIS_PASSWORD, or write the password into BRUME_REDIS_URL',
      sentinel:
        'Set BRUME_REDIS_SENTINEL_PASSWORD: a password in BRUME_REDIS_URL, or BRUME_REDIS_PASSWORD, is for the servers alone',
    },
  },
  {
    message: WRONG_LOGIN,
    isFor: ({ username }) => username === undefined,
    step: {
      server:
        'It was given a password without a user, which has to be that of the user default of this server: correct it, or set BRUME_REDIS_USERNAME',
      sentinel:
        'It was given BRUME_REDIS_SENTINEL_PASSWORD without a user, which has to be that of the user default of this Sentinel: correct it, or set BRUME_REDIS_SENTINEL_USERNAME',
    },
  },
  {
    message: WRONG_LOGIN,
    step: {
      server: 'Compare the user and the password with the ACL of this server',
      sentinel:
        'Compare BRUME_REDIS_SENTINEL_USERNAME and BRUME_REDIS_SENTINEL_PASSWORD with the ACL of this Sentinel',
    },
  },
];
/** What the table has of these is for whoever reads it there, or that nothing has to be done. */
const WITHOUT_STEP: readonly FaultKind[] = [
  'moved',
  'ask',
  'tryagain',
  'noscript',
  'lost',
  'not_connected',
  'late',
  'other',
];

/**
 * What to do about what a Redis or a Sentinel said, or about how a connection to it failed: a sentence without its
 * full stop. The one place for the log, check-config, doctor and what is told of Sentinels.
 */
export function nextStep(message: string, { to, login, isKnown }: Spoken): string | undefined {
  const ofLogins = OF_LOGINS.filter(({ isFor }) => isFor?.(login) ?? true);
  const hint = [...ofTheWay(login, isKnown), ...ofLogins].find((one) => one.message.test(message));
  // The table is about servers.
  return hint?.step[to] ?? (to === 'server' ? stepOfRow(message) : undefined);
}

/** What the table says to do about an error of a server. */
export function stepOfRow(message: string): string | undefined {
  const { kind, remedy } = reactionTo(message);
  return WITHOUT_STEP.includes(kind) ? undefined : remedy.replaceAll('`', '').replace(/\.$/, '');
}

/** What is amiss where TLS is, or is not, on one side only. */
function ofTheWay({ tls }: RedisLogin, isKnown: boolean): readonly Hint[] {
  if (tls === undefined) return isKnown ? [] : [WHERE_TLS_IS];
  if (isKnown) return [...OF_CERTIFICATES, FULL_BY_TLS];
  return [...OF_CERTIFICATES, WHERE_TLS_IS_NOT, ...(tls.cert === undefined ? [UNNAMED] : [])];
}
