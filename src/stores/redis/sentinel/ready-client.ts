import type { Redis } from 'ioredis';

/** Resolves when the client may be used; rejects with why it ended before. */
export function readyClient(client: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    let fault = new Error('it closed the connection');
    client.on('error', (error: Error) => {
      fault = error;
    });
    client.once('ready', resolve);
    client.once('end', () => reject(fault));
  });
}
