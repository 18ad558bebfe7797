import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type RawConnection, rawConnection } from '../../appliance/fakes.ts';
import { startPlane, window } from './plane-harness.ts';

const SAMPLES = 2000;
/** A slow machine has its moments; a difference that is really there shows in all rounds, and on the same side. */
const ROUNDS = 8;

type KeyOf = () => string;

test('B53: a key with the right beginning is refused as fast as one that has nothing right', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const line = await rawConnection(t, { port: plane.port });
  const { length } = plane.key;
  const rightPrefix: KeyOf = () => plane.key.slice(0, -4) + randomBytes(3).toString('base64url');
  const noPrefix: KeyOf = () => randomBytes(length).toString('base64url').slice(0, length);

  const seen: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The same case twice tells the noise.
    const [right, none, rightAgain, noneAgain] = await medians(line, [
      rightPrefix,
      noPrefix,
      rightPrefix,
      noPrefix,
    ]);
    const noiseMs = Math.max(Math.abs(right - rightAgain), Math.abs(none - noneAgain));
    const differenceMs = (right + rightAgain - none - noneAgain) / 2;
    if (Math.abs(differenceMs) <= noiseMs) return;
    seen.push(differenceMs);
    if (seen.some((earlierMs) => earlierMs > 0 !== differenceMs > 0)) return;
    plane.lookups.length = 0;
  }
  assert.fail(`the medians lie apart by ${seen.join(', ')} ms, beyond the noise`);
});

/** Medians of the times until the answer, in milliseconds; the cases take turns, so that a slow moment is everybody's. */
async function medians(
  line: RawConnection,
  cases: readonly KeyOf[],
): Promise<[number, number, number, number]> {
  const times = cases.map(() => new Float64Array(SAMPLES));
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const index = (turn + sample) % cases.length;
      const request = `POST /v1/limit HTTP/1.1\r\nHost: b\r\nX-API-Key: ${cases[index]?.()}\r\n\r\n`;
      line.received = '';
      const startMs = performance.now();
      line.send(request);
      await line.until('"code":"unauthorized"}');
      (times[index] as Float64Array)[sample] = performance.now() - startMs;
    }
  }
  return times.map((some) => some.sort()[SAMPLES / 2] ?? 0) as [number, number, number, number];
}
