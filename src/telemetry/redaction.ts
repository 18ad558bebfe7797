const SECRET_MEMBERS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-brume-key',
  'apikey',
  'password',
  'secret',
  'token',
  'databaseUrl',
  'redisUrl',
];

const API_KEY = /brume_(pk|sk)_[A-Za-z0-9_-]{8,}/g;
const CREDENTIALS = /\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{8,}/gi;
const URL_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"\\]*@/gi;

/**
 * Takes secrets out of a line of JSON: members that are known to hold them, at any depth, and what
 * looks like one anywhere, as in a message or a stack trace. Identifiers are personal data and
 * count as secrets unless they were asked for.
 */
export function redactor(showIdentifiers: boolean): (line: string) => string {
  const names = showIdentifiers ? SECRET_MEMBERS : [...SECRET_MEMBERS, 'identifier'];
  const members = new RegExp(`"(${names.join('|')})":(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi');
  return (line) =>
    line
      .replace(members, '"$1":"[redacted]"')
      .replace(API_KEY, 'brume_$1_[redacted]')
      .replace(CREDENTIALS, '$1 [redacted]')
      .replace(URL_CREDENTIALS, '$1[redacted]@');
}
