import type { Socket } from 'node:net';

/** How long whoever was given the last answer may go on sending. Well within a drain, and a few round trips. */
export const LINGER_MS = 2000;

/**
 * Closes a connection on which more may come than is answered (RFC 9112, section 9.6). To close it at once would
 * reset it, since bytes are unread in it or still on their way, and a reset takes back the answers that the client
 * hasn't read yet. So the answers are sent, and the end with them; what comes after that is thrown away until the
 * client closes, too, for `lingerMs` at most.
 */
export function closeLingering(socket: Socket, lingerMs: number): void {
  if (socket.writable) socket.end();
  const discard = (): void => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
    // What ends it when the other side has: it is allowed to be half open.
    socket.resume();
    // Node's HTTP server stops reading while answers wait, by the handle: resume() alone doesn't know of that.
    socket._read(0);
  };
  if (socket.writableFinished) discard();
  else socket.once('finish', discard);
}
