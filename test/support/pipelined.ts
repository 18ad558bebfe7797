import { connect, type Socket } from 'node:net';

/** As many answers may a connection owe. */
const BATCH = 24;
const STATUS = /HTTP\/1\.1 (\d{3}) /g;

/**
 * Sends requests, as they are written, over a few connections that stay open. How often each status
 * was answered.
 */
export async function pipelined(
  port: number,
  requests: Iterable<string>,
  connectionCount = 4,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const source = requests[Symbol.iterator]();
  await Promise.all(Array.from({ length: connectionCount }, () => pumped(port, source, counts)));
  return counts;
}

async function pumped(port: number, source: Iterator<string>, counts: Map<number, number>): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // it closes, too
  try {
    for (let batch = taken(source); batch.length > 0; batch = taken(source)) {
      socket.write(batch.join(''));
      for (const status of await statuses(socket, batch.length))
        counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  } finally {
    socket.destroy();
  }
}

function taken(source: Iterator<string>): string[] {
  const batch: string[] = [];
  while (batch.length < BATCH) {
    const { done, value } = source.next();
    if (done === true) break;
    batch.push(value);
  }
  return batch;
}

/** Reads so many answers, whose bodies must not look like a status line. */
function statuses(socket: Socket, count: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let received = '';
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      const seen = [...received.matchAll(STATUS)].map(([, status]) => Number(status));
      // The last one's end comes in the same write as its beginning.
      if (seen.length < count) return;
      stop();
      resolve(seen);
    };
    const onEnd = (): void => {
      stop();
      reject(new Error(`the connection closed early: ${received.slice(-500)}`));
    };
    const stop = (): void => {
      socket.off('data', onData);
      socket.off('close', onEnd);
    };
    socket.on('data', onData);
    socket.on('close', onEnd);
  });
}
