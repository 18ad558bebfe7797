import { connect } from 'node:net';
import type { ServerPlace } from '../redis-address.ts';

/** One that has to say something says it at once. */
const WAIT_MS = 200;
const LENGTH_MAX = 200;

/**
 * What a server says to whoever connects and says nothing: why it lets nobody in (`ERR max number of clients
 * reached`, `DENIED …`). Whoever has spoken meanwhile is cut off before that can be read. Without TLS only.
 * Undefined: it says nothing. Never rejects.
 */
export function firstWords(place: ServerPlace): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ ...place });
  const timer = setTimeout(() => socket.destroy(), WAIT_MS);
  let text = '';
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (part: string) => {
    text += part;
    if (text.includes('\n') || text.length > LENGTH_MAX) socket.destroy();
  });
  socket.once('close', () => {
    clearTimeout(timer);
    resolve(/^-([A-Z]+ [^\r\n]{1,200})/.exec(text)?.[1]);
  });
  return promise;
}
