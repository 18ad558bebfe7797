/** A passage of the packaged files, and what stands there instead. */
export type Change = readonly [from: string, to: string];

/** What a front end's files are filled in with. */
export interface Filling {
  readonly namespace?: string | undefined;
  /** Where Brume's data plane listens. */
  readonly listen?: { readonly host: string; readonly port: number } | undefined;
  /** File on the front end's machine that holds the key. */
  readonly keyFile?: string | undefined;
  /** What becomes of requests while Brume does not answer; as the packaged files say if absent. */
  readonly whenUnjudged?: 'open' | 'closed' | undefined;
}

export interface FrontEnd {
  /** Below `packaging/NAME/`, and where each belongs on a Debian system. */
  readonly files: readonly { readonly file: string; readonly place: string }[];
  readonly namespace: (name: string) => readonly Change[];
  /** `address` has an IPv6 host in brackets. */
  readonly listen: (address: string, host: string, port: number) => readonly Change[];
  /** Absent where it reads no key from a file. */
  readonly keyFile?: (path: string) => readonly Change[];
  /** Absent where it can't let requests pass. */
  readonly closed?: readonly Change[];
}

const ADDRESS = '127.0.0.1:8600';

/** The front ends whose files Brume ships. Every passage that a change names is in the files once at least. */
export const FRONT_ENDS = {
  nginx: {
    files: [
      { file: 'brume-upstream.conf', place: '/etc/nginx/conf.d/brume-upstream.conf' },
      { file: 'brume.conf', place: '/etc/nginx/brume.conf' },
    ],
    namespace: (name) => [['auth_request /_brume/api;', `auth_request /_brume/${name};`]],
    listen: (address) => [[`server ${ADDRESS};`, `server ${address};`]],
    keyFile: (path) => [['include brume-key.conf;', `include ${path};`]],
    closed: [
      [
        '    return 204;  # Fail open: the request passes. Delete this line to fail closed: clients get 503.\n',
        '',
      ],
    ],
  },
  haproxy: {
    files: [
      { file: 'brume.cfg', place: '/etc/haproxy/brume.cfg' },
      { file: 'brume.lua', place: '/etc/haproxy/brume.lua' },
    ],
    namespace: (name) => [['http-request lua.brume api ', `http-request lua.brume ${name} `]],
    listen: (address) => [[`server brume1 ${ADDRESS}`, `server brume1 ${address}`]],
    keyFile: (path) => [['BRUME_KEY_FILE /etc/haproxy/brume-key', `BRUME_KEY_FILE ${path}`]],
    closed: [['BRUME_UNANSWERED open', 'BRUME_UNANSWERED closed']],
  },
  caddy: {
    files: [
      { file: 'brume.caddy', place: '/etc/caddy/brume.caddy' },
      { file: 'brume-key.conf', place: '/etc/systemd/system/caddy.service.d/brume-key.conf' },
    ],
    namespace: (name) => [['import brume api', `import brume ${name}`]],
    listen: (address) => [[`reverse_proxy ${ADDRESS} `, `reverse_proxy ${address} `]],
    keyFile: (path) => [['EnvironmentFile=/etc/caddy/brume-key.env', `EnvironmentFile=${path}`]],
    closed: [
      [
        'respond 204 # Fail open: the request passes. Write 503 instead to fail closed.',
        'respond 503 # Fail closed. Write 204 instead to let requests pass.',
      ],
    ],
  },
  traefik: {
    files: [{ file: 'brume.yaml', place: '/etc/traefik/dynamic/brume.yaml' }],
    namespace: (name) => [
      ['brume-limit-api', `brume-limit-${name}`],
      ['brume-ask-api', `brume-ask-${name}`],
      ['/v1/auth/forward/api', `/v1/auth/forward/${name}`],
      ['in place of "api"', `in place of "${name}"`],
    ],
    listen: (address) => [[`http://${ADDRESS}`, `http://${address}`]],
  },
  envoy: {
    files: [{ file: 'brume.yaml', place: '/etc/envoy/brume.yaml' }],
    namespace: (name) => [['/v1/auth/forward/api', `/v1/auth/forward/${name}`]],
    listen: (_address, host, port) => [
      // A cluster of type STATIC takes no name.
      ['address: 127.0.0.1', `address: '${host === 'localhost' ? '127.0.0.1' : host}'`],
      ['port_value: 8600', `port_value: ${port}`],
    ],
    closed: [['failure_mode_allow: true', 'failure_mode_allow: false']],
  },
} as const satisfies Readonly<Record<string, FrontEnd>>;

export type FrontEndName = keyof typeof FRONT_ENDS;

export const FRONT_END_NAMES = Object.keys(FRONT_ENDS) as readonly FrontEndName[];
