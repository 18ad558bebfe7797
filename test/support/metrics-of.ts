import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** What `GET /metrics` on an admin socket gives. */
export function metricsOf(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: '/metrics', agent: false }, (answer) => resolve(text(answer)));
    asked.on('error', reject).end();
  });
}
