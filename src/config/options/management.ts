import { boolean } from '../kinds/choice.ts';
import { integer } from '../kinds/integer.ts';
import { listenAddressOrOff } from '../kinds/listen-address.ts';
import { addressList } from '../kinds/network-list.ts';
import { originList } from '../kinds/origin-list.ts';
import { filePath } from '../kinds/path.ts';
import { token } from '../kinds/token.ts';
import type { Options } from '../option.ts';

export const MANAGEMENT = {
  BRUME_MANAGEMENT_LISTEN: {
    description:
      "Address and port of the management plane, for people and programs that manage Brume over the network. On another address than a loopback one it needs BRUME_MANAGEMENT_TLS_CERT and BRUME_MANAGEMENT_TLS_KEY. With off only the admin socket serves. Under the packages' units systemd listens, and brume-management.socket must say the same.",
    kind: listenAddressOrOff(),
    default: '127.0.0.1:8610',
    example: '127.0.0.1:8610',
  },
  BRUME_MANAGEMENT_TLS_CERT: {
    description:
      'File with the certificate of the management plane in PEM, its chain behind it. Read at start: systemctl reload takes a new one.',
    kind: filePath(),
    default: null,
    example: '/etc/brume/management.crt',
  },
  BRUME_MANAGEMENT_TLS_KEY: {
    description: 'File with the private key of that certificate in PEM, without a passphrase.',
    kind: filePath(),
    default: null,
    example: '/etc/brume/management.key',
  },
  BRUME_MANAGEMENT_INSECURE: {
    description:
      'Whether the management plane may listen without TLS where others than this machine reach it. Passwords and tokens then cross that network in clear.',
    kind: boolean(),
    default: 'false',
    example: 'false',
  },
  BRUME_MANAGEMENT_ORIGINS: {
    description:
      'Origins of other sites whose pages may call the management plane from a browser, separated by commas, or none. What it serves itself needs no entry. A wildcard stops the start.',
    kind: originList(),
    default: 'none',
    example: 'https://console.example.com',
  },
  BRUME_AUDIT_RETENTION_DAYS: {
    description:
      'For how many days entries of the audit stay; older ones are removed in the background. 0: for ever.',
    kind: integer({ unit: 'days', minimum: 0, maximum: 36_500 }),
    default: '400',
    example: '400',
  },
  BRUME_METRICS_TOKEN: {
    description:
      'Token with which GET /metrics on the management plane may be read, as Authorization: Bearer. Without it only BRUME_METRICS_ALLOW lets anybody read them there.',
    kind: token(),
    default: null,
    example: 'a-long-random-text-of-your-own',
    isSecret: true,
  },
  BRUME_METRICS_ALLOW: {
    description:
      'Networks or addresses that may read GET /metrics on the management plane without a token, or none. Behind a trusted proxy the client is meant, as X-Forwarded-For tells it.',
    kind: addressList(),
    default: '127.0.0.0/8,::1/128',
    example: '127.0.0.0/8,::1/128,10.0.5.0/24',
  },
} as const satisfies Options;
