/**
 * Whether the time of a refusal tells how much of a key was right: medians of the time until the 401, for
 * keys that are wrong in their last characters only and for keys with nothing right, in turns on one
 * connection. The noise is how far two runs of the same case lie apart.
 *
 *     node scripts/measure-key-timing.ts --port 8600 --key brume_sk_… [--samples 2000] [--rounds 8]
 *
 * The caller's address must not be filtered (loopback isn't, unless BRUME_TRUSTED_PROXIES says so).
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8600' },
    key: { type: 'string' },
    samples: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '8' },
  },
});
const { key } = values;
if (key === undefined) throw new Error('--key is required: a key that exists');
const samples = Number(values.samples);

const nearlyRight = () => key.slice(0, -4) + randomBytes(3).toString('base64url');
const allWrong = () => randomBytes(key.length).toString('base64url').slice(0, key.length);
const CASES = [nearlyRight, allWrong, nearlyRight, allWrong];

const socket = connect(Number(values.port), '127.0.0.1').setNoDelay();
await once(socket, 'connect');

/** Microseconds until the answer. */
async function refusalUs(secret: string): Promise<number> {
  const startMs = performance.now();
  socket.write(`POST /v1/limit HTTP/1.1\r\nHost: b\r\nX-API-Key: ${secret}\r\n\r\n`);
  for (let text = ''; !text.includes('"code":"unauthorized"}'); ) {
    const [part] = (await once(socket, 'data')) as [Buffer];
    text += part.toString('latin1');
    if (/^HTTP\/1\.1 (?!401)/.test(text)) throw new Error(`not a refusal: ${text}`);
  }
  return (performance.now() - startMs) * 1000;
}

function median(times: Float64Array): number {
  return times.sort()[times.length >> 1] ?? 0;
}

for (let round = 1; round <= Number(values.rounds); round++) {
  const times = CASES.map(() => new Float64Array(samples));
  for (let sample = 0; sample < samples; sample++) {
    for (let turn = 0; turn < CASES.length; turn++) {
      const at = (turn + sample) % CASES.length;
      (times[at] as Float64Array)[sample] = await refusalUs((CASES[at] as () => string)());
    }
  }
  const [right = 0, wrong = 0, rightAgain = 0, wrongAgain = 0] = times.map(median);
  const noise = Math.max(Math.abs(right - rightAgain), Math.abs(wrong - wrongAgain));
  const difference = (right + rightAgain - wrong - wrongAgain) / 2;
  console.log(`round ${round}: ${difference.toFixed(2)} µs apart, noise ${noise.toFixed(2)} µs`);
}
socket.destroy();
