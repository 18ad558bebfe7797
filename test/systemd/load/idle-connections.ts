import { connect, type Socket } from 'node:net';

/**
 * Connections on which nothing is said. One that the server closes is opened anew at once; `onFault` is told
 * of one that was refused, or reset instead of closed.
 */
export function idleConnections(
  port: number,
  count: number,
  onFault: (what: string) => void,
): { end(): void } {
  const open = new Set<Socket>();
  let isOver = false;
  const add = (): void => {
    const socket = connect({ port, host: '127.0.0.1' });
    open.add(socket);
    socket.on('error', (error) => onFault('code' in error ? String(error.code) : error.message));
    socket.on('close', (hadError) => {
      open.delete(socket);
      if (!isOver && !hadError) add();
    });
    socket.resume();
  };
  for (let opened = 0; opened < count; opened++) add();
  return {
    end() {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}
