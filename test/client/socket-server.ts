import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** An HTTP server on a Unix socket, for one test. Resolves with the socket's path. */
export async function socketServer(
  test: Pick<TestContext, 'after'>,
  answer: RequestListener,
): Promise<string> {
  const path = join(temporaryDirectory(test), 'admin.sock');
  const server = createServer(answer).listen(path);
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return path;
}

/** Answers everything with the same status and JSON. */
export function always(status: number, body: unknown, type = 'application/json'): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body === undefined ? '' : JSON.stringify(body));
  };
}
