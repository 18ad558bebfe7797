import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportSPKI, SignJWT } from 'jose';
import type { SigningKey } from './oidc-provider.ts';

type Members = Readonly<Record<string, unknown>>;

/** How the tokens of one issuer are made, and what is in a good one. */
export interface Minting {
  readonly claims: Members;
  /** Signs as the issuer would. */
  sign(claims: Members, header?: Members): Promise<string>;
  readonly nowS: number;
  readonly toleranceS: number;
}

/** Tokens that must be refused though the issuer signed them, by what is wrong with them. */
export async function misjudgedTokens(minting: Minting): Promise<[string, string][]> {
  const { claims, sign, nowS, toleranceS } = minting;
  const without = (name: string): Members =>
    Object.fromEntries(Object.entries(claims).filter(([member]) => member !== name));
  const changed: Record<string, Members> = {
    'exp 1 s beyond the tolerance': { ...claims, exp: nowS - toleranceS - 1 },
    'exp missing': without('exp'),
    'exp as text': { ...claims, exp: String(nowS + 600) },
    'exp null': { ...claims, exp: null },
    'nbf in the future': { ...claims, nbf: nowS + toleranceS + 60 },
    'nbf as text': { ...claims, nbf: '0' },
    'aud missing': without('aud'),
    'aud a wrong text': { ...claims, aud: 'brume-data' },
    'aud with a blank behind it': { ...claims, aud: 'brume-control ' },
    'aud in capitals': { ...claims, aud: 'BRUME-CONTROL' },
    'aud an array without us': { ...claims, aud: ['brume-data', 'brume-control-2'] },
    'aud []': { ...claims, aud: [] },
    'aud [[us]]': { ...claims, aud: [['brume-control']] },
    'aud an object': { ...claims, aud: { 'brume-control': true } },
    'aud null': { ...claims, aud: null },
    'iss as an array': { ...claims, iss: [claims.iss] },
    'iss missing': without('iss'),
    'iss with a slash behind it': { ...claims, iss: `${claims.iss}/` },
    'iss of somebody else': { ...claims, iss: 'https://id.example.org' },
    'sub missing': without('sub'),
    'sub empty': { ...claims, sub: '' },
    'sub a number': { ...claims, sub: 1 },
    'sub an array': { ...claims, sub: [claims.sub] },
  };
  return Promise.all(
    Object.entries(changed).map(async ([what, members]) => [what, await sign(members)] as [string, string]),
  );
}

/** Tokens that the issuer never signed. */
export async function forgedTokens(
  { claims, sign }: Minting,
  published: SigningKey,
): Promise<[string, string][]> {
  const good = await sign(claims);
  const [head = '', body = '', signature = ''] = good.split('.');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const strangers = (header: Members = {}) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: published.kid, ...header })
      .sign(privateKey);
  const pem = await exportSPKI(published.publicKey);
  const keyText = JSON.stringify(published.jwk);
  const other = encoded({ ...claims, sub: 'mallory' });
  return [
    ['alg none, no signature', `${encoded({ alg: 'none' })}.${body}.`],
    ['alg None with the signature', `${encoded({ alg: 'None' })}.${body}.${signature}`],
    ['alg missing', `${encoded({ typ: 'JWT' })}.${body}.${signature}`],
    ['alg an array', `${encoded({ alg: ['RS256', 'HS256'] })}.${body}.${signature}`],
    ['HS256 under the published key as PEM', hmacToken(body, pem)],
    ['HS256 under the same without its last line end', hmacToken(body, pem.trim())],
    ['HS256 under the published key as JWK', hmacToken(body, keyText)],
    ['HS256 under the published modulus', hmacToken(body, String(published.jwk.n))],
    ['HS256 under an empty key', hmacToken(body, '')],
    ['kid ../../etc/passwd', await strangers({ kid: '../../etc/passwd' })],
    ['kid /dev/null', await strangers({ kid: '/dev/null' })],
    ["signed by a stranger under the issuer's kid", await strangers()],
    ['with its own key inside', await strangers({ jwk: published.jwk })],
    ['with a place of its own for keys', await strangers({ jku: 'http://127.0.0.1:9/keys' })],
    ['another body under the signature', `${head}.${other}.${signature}`],
    ['no signature', `${head}.${body}.`],
    ['a signature cut short', `${head}.${body}.${signature.slice(0, -4)}`],
    ['four parts', `${good}.x`],
    ['five parts', `${good}.x.y`],
    ['two parts', `${head}.${body}`],
    ['a body that is no JSON', `${head}.${Buffer.from('{').toString('base64url')}.${signature}`],
    ['a body that is a list', `${head}.${encoded([])}.${signature}`],
    ['crit that nobody knows', await sign(claims, { crit: ['exp'], exp: 1 }).catch(() => 'refused.to.sign')],
    ['dots', '..'],
    ['words', 'not-a-token'],
  ];
}

function hmacToken(body: string, secret: string): string {
  const input = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${body}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
