import { freePort } from '../support/free-port.ts';
import { type FrontSetUp, shipped } from './front.ts';
import { type ProxyProcess, startProxy } from './proxy-process.ts';

/** Caddy with the shipped snippet, and a site as docs/caddy.md says. */
export async function startCaddy(setUp: FrontSetUp): Promise<ProxyProcess> {
  const { brumePort, key, appUrl, namespaces, whenUnjudged = 'open', isPatient = true } = setUp;
  const port = await freePort();
  const standInPort = await freePort();
  return startProxy({
    program: '/usr/bin/caddy',
    args: (directory) => ['run', '--config', `${directory}/Caddyfile`],
    files: () => ({
      'brume.caddy': shipped(
        'caddy/brume.caddy',
        ['127.0.0.1:8600', `127.0.0.1:${brumePort}`],
        [':8699', `:${standInPort}`],
        ...(whenUnjudged === 'closed' ? [['respond 204', 'respond 503'] as const] : []),
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
