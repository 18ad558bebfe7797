import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';

type UrlConfig = Pick<Config, 'managementUrl' | 'managementListen' | 'managementTlsCert'>;

/** Where others than Brume itself would find the plane if this node has none. */
const ELSEWHERE = 'http://127.0.0.1:8610';

/**
 * Where people reach the management plane: as is said, or as it listens; on every address, by the name of the
 * machine. Behind a proxy nobody can know it, unless it is said.
 */
export function managementUrlOf(config: UrlConfig, machine: () => string = hostname): string {
  const { managementUrl, managementListen, managementTlsCert } = config;
  if (managementUrl !== null) return managementUrl;
  if (managementListen === null) return ELSEWHERE;
  const { host, port } = managementListen;
  const isEvery = /^(0\.0\.0\.0|[0:]*::0*)$/.test(host);
  const name = isEvery ? machine() : host.includes(':') ? `[${host}]` : host;
  return `${managementTlsCert === null ? 'http' : 'https'}://${name}:${port}`;
}
