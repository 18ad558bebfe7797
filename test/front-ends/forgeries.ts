/** What clients send to be taken for another, to pay less, or to strip what the proxy says. */
export const FORGERIES: readonly { readonly what: string; readonly lines: readonly string[] }[] = [
  {
    what: 'the headers of Brume',
    lines: [
      'X-Brume-Cost: 0',
      'X-Brume-Key: brume_sk_forged',
      'X-Brume-Anything: x',
      'X-API-Key: brume_sk_forged',
      'Authorization: Bearer brume_sk_forged',
      'apikey: brume_sk_forged',
      'Idempotency-Key: again',
    ],
  },
  {
    what: 'an address',
    lines: [
      'X-Forwarded-For: 203.0.113.1',
      'X-Real-IP: 203.0.113.2',
      'Forwarded: for=203.0.113.3',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: elsewhere',
      'X-Client-IP: 203.0.113.4',
    ],
  },
  {
    what: 'an address, in two lines',
    lines: ['X-Forwarded-For: 203.0.113.1', 'X-Forwarded-For: 203.0.113.2'],
  },
  {
    what: 'another path and method',
    lines: [
      'X-Original-URI: /free/',
      'X-Original-Method: OPTIONS',
      'X-Forwarded-Uri: /free/',
      'X-Forwarded-Method: OPTIONS',
    ],
  },
  {
    what: 'twins with underscores',
    lines: ['X_Brume_Cost: 0', 'X_Brume_Key: x', 'X_Forwarded_For: 203.0.113.1', 'X_Original_URI: /free/'],
  },
  {
    what: 'B46: headers that Connection names',
    lines: [
      'Connection: close, X-Brume-Key, X-Brume-Cost, X-Forwarded-For, X-Forwarded-Uri, X-Original-URI, Authorization',
      'TE: trailers',
      'Keep-Alive: timeout=1',
      'Proxy-Authorization: Basic eA==',
      // What is named and left there would be taken for the proxy's own.
      'X-Brume-Key: brume_sk_forged',
      'X-Brume-Cost: 0',
      'X-Forwarded-For: 203.0.113.1',
    ],
  },
];

/** The same about the path alone, each of which by itself. */
export const PATH_FORGERIES: readonly (readonly string[])[] = [
  ['X-Original-URI: /elsewhere'],
  ['X-Forwarded-Uri: /elsewhere'],
  ['X-Forwarded-Uri: /elsewhere', 'X-Original-URI: /elsewhere'],
  ['X_Original_URI: /elsewhere', 'X_Forwarded_Uri: /elsewhere'],
  ['Connection: close, X-Original-URI, X-Forwarded-Uri'],
];
