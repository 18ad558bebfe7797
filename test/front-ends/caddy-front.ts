import { freePort } from '../support/free-port.ts';
import { type FrontSetUp, filled } from './front.ts';
import { type ProxyProcess, startProxy } from './proxy-process.ts';

/** Caddy with the shipped snippet, and a site as docs/caddy.md says. */
export async function startCaddy(
  setUp: FrontSetUp,
  /** Changes to the shipped snippet, as an operator would make them. */
  changes: readonly (readonly [from: string, to: string])[] = [],
): Promise<ProxyProcess> {
  const { brumePort, key, appUrl, namespaces, whenUnjudged, isPatient = true } = setUp;
  const port = await freePort();
  const standInPort = await freePort();
  return startProxy({
    program: '/usr/bin/caddy',
    args: (directory) => ['run', '--config', `${directory}/Caddyfile`],
    files: () => ({
      'brume.caddy': filled(
        'caddy',
        'brume.caddy',
        { listen: { host: '127.0.0.1', port: brumePort }, whenUnjudged },
        [':8699', `:${standInPort}`],
        ...changes,
        ...(isPatient ? [[/_timeout \d+ms/g, '_timeout 10s'] as const] : []),
      ),
      Caddyfile: siteConfig(port, appUrl, namespaces),
    }),
    environment: { BRUME_KEY: key },
    port,
  });
}

function siteConfig(port: number, appUrl: string, namespaces: readonly string[]): string {
  const limited = namespaces.map(
    (name) => `
    handle /${name}/* {
        import brume ${name}
        reverse_proxy ${appUrl}
    }`,
  );
  return `{
    admin off
    auto_https off
}
import brume.caddy
http://:${port} {
    bind 127.0.0.1${limited.join('')}
    handle {
        reverse_proxy ${appUrl}
    }
}
`;
}
