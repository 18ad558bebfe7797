import { request } from 'node:http';

/** Asks the management routes on an admin socket; fails unless the answer is a 2xx. */
export function askAdmin(
  socketPath: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const call = request({ socketPath, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        const { statusCode = 0 } = answer;
        if (statusCode < 200 || statusCode > 299)
          reject(new Error(`${method} ${path}: ${statusCode} ${text}`));
        else resolve(text === '' ? undefined : JSON.parse(text));
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Makes a project with a key and the namespaces given; resolves with the key's secret. */
export async function createTenant(
  socketPath: string,
  project: string,
  namespaces: Readonly<Record<string, object>>,
): Promise<string> {
  await askAdmin(socketPath, 'POST', '/v1/projects', { name: project });
  for (const [name, rule] of Object.entries(namespaces)) {
    await askAdmin(socketPath, 'POST', `/v1/projects/${project}/namespaces`, { name, rule });
  }
  const answer = await askAdmin(socketPath, 'POST', `/v1/projects/${project}/keys`, {
    name: 'test',
    kind: 'service',
  });
  if (typeof answer === 'object' && answer !== null && 'key' in answer && typeof answer.key === 'string') {
    return answer.key;
  }
  throw new Error(`no key in ${JSON.stringify(answer)}`);
}
