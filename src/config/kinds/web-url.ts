import { type Kind, quoted } from './kind.ts';

/**
 * An https URL without credentials, query and fragment; http is taken on loopback only, unless
 * `mayBeClear`. It is kept as it was written: an issuer is compared byte for byte.
 */
export function webUrl({ mayBeClear = false } = {}): Kind<string> {
  return {
    expected: 'a URL such as https://id.example.org',
    schema: { type: 'string', format: mayBeClear ? 'brume-web-url' : 'brume-https-url' },
    fault: (text) => faultOf(text, mayBeClear),
    value: String,
  };
}

function faultOf(text: string, mayBeClear: boolean): string | undefined {
  if (/[\s\p{Cc}]/u.test(text) || !/^https?:\/\//.test(text) || !URL.canParse(text)) {
    return `${quoted(text)} is not a URL that begins with https://`;
  }
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return 'the URL holds credentials';
  if (/[?#]/.test(text)) return `${quoted(text)} has a query or a fragment`;
  const isLoopback = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && !isLoopback && !mayBeClear
    ? `${quoted(text)} is neither https nor on loopback`
    : undefined;
}
