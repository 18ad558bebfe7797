import { once } from 'node:events';
import type { Server } from 'node:http';
import type { TestContext } from 'node:test';

/** Has it listen on loopback until the test is over; resolves with its port. */
export async function listening(t: Pick<TestContext, 'after'>, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
