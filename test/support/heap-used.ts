import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that live on the heap and in buffers, once what is dead has been taken away. */
export async function heapUsed(): Promise<number> {
  // What a finished turn still holds goes in the next.
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed: onHeap, external, arrayBuffers } = process.memoryUsage();
  return onHeap + external + arrayBuffers;
}
