/**
 * This machine's nginx, with the shipped snippet, in front of Brume and of an application, for a guest on whose
 * network this runs: `front.ts BRUME_PORT KEY`. Prints its port, and goes when standard input ends.
 */
import { once } from 'node:events';
import { startApp } from '../../support/app-server.ts';
import { startFront, swap } from '../../support/nginx-front.ts';
import { NAMESPACES } from './load.ts';

const [brumePort, key = ''] = process.argv.slice(2);
const app = await startApp();
const limited = NAMESPACES.map(
  (namespace) =>
    `location /${namespace}/ { auth_request /_brume/${namespace}; proxy_pass ${app.url}; proxy_set_header Connection ""; proxy_http_version 1.1; }`,
);
const nginx = await startFront({
  brumePort: Number(brumePort),
  key,
  // As shipped it would let pass what takes longer than half a second, and nobody would know how long it took.
  patient: false,
  edit: (snippet) => swap(snippet, /_timeout [15]00ms;/g, '_timeout 60s;'),
  locations: `
    ${limited.join('\n')}
    location /v1/ { proxy_pass http://brume; proxy_set_header Connection ""; proxy_http_version 1.1; }`,
});
console.log(nginx.port);
await once(process.stdin.resume(), 'end');
await Promise.all([nginx.stop(), app.stop()]);
