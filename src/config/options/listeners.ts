import { listenAddressOrOff } from '../kinds/listen-address.ts';
import { networkList } from '../kinds/network-list.ts';
import { socketPath, socketPathOrOff } from '../kinds/path.ts';
import type { Options } from '../option.ts';

export const LISTENERS = {
  BRUME_LISTEN: {
    description:
      "Address and port of the data plane, where programs and proxies ask. An IP address, or localhost, which is one of the loopback addresses: the first that the system gives. Port 0 takes any free port, which only tests should want. Under the packages' units systemd listens, and brume.socket must say the same.",
    kind: listenAddressOrOff(),
    default: '127.0.0.1:8600',
    example: '127.0.0.1:8600',
  },
  BRUME_SOCKET: {
    description:
      'Unix socket of the data plane. Whoever may open it may state client addresses, as a trusted proxy may.',
    kind: socketPathOrOff(),
    default: 'off',
    example: '/run/brume/brume.sock',
  },
  BRUME_ADMIN_SOCKET: {
    description:
      'Unix socket of the management routes, which the command line uses. Whoever may open it manages this Brume. Its directory is created if it is not there.',
    kind: socketPath(),
    default: '/run/brume/admin.sock',
    example: '/run/brume/admin.sock',
  },
  BRUME_TRUSTED_PROXIES: {
    description:
      'Networks whose forwarded headers (X-Forwarded-For and its kin) are believed. They are read from the right, and the first address that is not in this list is the client. A number of hops is refused, and so are networks larger than an IPv4 /8 or an IPv6 /7.',
    kind: networkList(),
    default: '127.0.0.0/8,::1/128',
    example: '127.0.0.0/8,::1/128,10.20.0.0/16',
  },
} as const satisfies Options;
