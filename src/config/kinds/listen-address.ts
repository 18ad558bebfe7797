import { isIP, isIPv6 } from 'node:net';
import { type Kind, quoted } from './kind.ts';

/** Where a listener binds. Port 0 takes any free port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>0|[1-9][0-9]{0,4})$/;
const OFF = 'off';

/** `ADDRESS:PORT`, IPv6 in brackets, or `off`, which becomes null. */
export function listenAddressOrOff(): Kind<ListenAddress | null> {
  return {
    expected: 'ADDRESS:PORT such as 127.0.0.1:8600, localhost:8600 or [::1]:8600, or off',
    schema: { type: 'string', format: 'brume-listen-address-or-off' },
    fault: (text) => (text === OFF || parse(text) !== undefined ? undefined : faultOf(text)),
    value: (checked) => parse(String(checked)) ?? null,
  };
}

/** Only this machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function parse(text: string): ListenAddress | undefined {
  const parts = ADDRESS.exec(text)?.groups;
  const host = parts?.ipv6 ?? parts?.host ?? '';
  const port = Number(parts?.port);
  const isHost = parts?.ipv6 === undefined ? isIP(host) === 4 || host === 'localhost' : isIPv6(host);
  return isHost && port <= 65535 ? Object.freeze({ host, port }) : undefined;
}

function faultOf(text: string): string {
  if (/^[0-9]+$/.test(text)) return `${quoted(text)} has no address: say which one to listen on`;
  if (isIP(text) !== 0) return `${quoted(text)} has no port, or its IPv6 address has no brackets`;
  return `${quoted(text)} is not an IP address and a port from 1 to 65535`;
}
