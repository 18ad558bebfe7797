import { freePort } from '../support/free-port.ts';
import { type FrontSetUp, filled } from './front.ts';
import { type ProxyProcess, startProxy } from './proxy-process.ts';

/** HAProxy with the shipped Lua and the shipped section, and a frontend as docs/haproxy.md says. */
export async function startHaproxy(
  setUp: FrontSetUp,
  /** Rules of the frontend before the checks. */
  rules: readonly string[] = [],
): Promise<ProxyProcess> {
  const { brumePort, key, appUrl, namespaces, whenUnjudged, isPatient = true } = setUp;
  const port = await freePort();
  return startProxy({
    program: '/usr/sbin/haproxy',
    args: (directory) => ['-db', '-f', `${directory}/brume.cfg`, '-f', `${directory}/haproxy.cfg`],
    files: (directory) => ({
      'brume-key': `${key}\n`,
      // The abstract socket is the whole machine's.
      'brume.lua': filled('haproxy', 'brume.lua', {}, ['brume-checks', `brume-checks-${port}`]),
      'brume.cfg': filled(
        'haproxy',
        'brume.cfg',
        { listen: { host: '127.0.0.1', port: brumePort }, keyFile: `${directory}/brume-key`, whenUnjudged },
        ['/etc/haproxy/brume.lua', `${directory}/brume.lua`],
        ['brume-checks', `brume-checks-${port}`],
        ...(isPatient ? [[/timeout (server|connect|queue) \d+ms/g, 'timeout $1 10s'] as const] : []),
      ),
      'haproxy.cfg': siteConfig(port, appUrl, [...rules, ...namespaces.map(check)]),
    }),
    port,
  });
}

function check(namespace: string): string {
  return `http-request lua.brume ${namespace} if { path_beg /${namespace}/ }`;
}

function siteConfig(port: number, appUrl: string, rules: readonly string[]): string {
  return `
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    timeout tunnel 30s

frontend site
    bind 127.0.0.1:${port}
    ${rules.join('\n    ')}
    http-response lua.brume-headers
    default_backend app

backend app
    server app1 ${new URL(appUrl).host}
`;
}
