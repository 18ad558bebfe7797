import { startFront, swap } from '../support/nginx-front.ts';
import type { FrontSetUp } from './front.ts';
import { frontBehaviour } from './front-behaviour.ts';
import type { ProxyProcess } from './proxy-process.ts';

/** The line that the snippet says to delete for failing closed. */
const OPEN_LINE = /^.*return 204;.*\n/gm;

/** nginx with the two shipped files, and locations as docs/nginx.md says. */
function startNginx(setUp: FrontSetUp): Promise<ProxyProcess> {
  const { brumePort, key, appUrl, namespaces, whenUnjudged, isPatient = true } = setUp;
  const limited = namespaces.map(
    (name) => `location /${name}/ { auth_request /_brume/${name}; proxy_pass ${appUrl}; }`,
  );
  return startFront({
    brumePort,
    key,
    patient: isPatient,
    edit: (snippet) => (whenUnjudged === 'closed' ? swap(snippet, OPEN_LINE, '') : snippet),
    locations: `
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      ${limited.join('\n')}
      location / { proxy_pass ${appUrl}; }`,
  });
}

frontBehaviour('nginx', startNginx);
