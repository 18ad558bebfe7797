/** Fuzzes both planes; run by scripts/fuzz-api, which says what it does and how it is called. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzzing/schemathesis.ts';
import { startTargets } from './fuzzing/targets.ts';

const { values } = parseArgs({
  options: {
    schemathesis: { type: 'string', default: 'schemathesis' },
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  },
});
const numbers = [values.requests, values.seed];
if (!numbers.every((text) => /^[1-9][0-9]{0,8}$/.test(text))) {
  throw new Error('--requests and --seed take whole numbers from 1 to 999999999');
}
const [requests = 0, seed = 0] = numbers.map(Number);

const directory = mkdtempSync(join(tmpdir(), 'brume-fuzz-'));
const { targets, log, stop } = await startTargets(directory);
let passed = 0;
let failed = 0;
try {
  for (const target of targets) {
    console.log(`=== ${target.name}, at least ${requests} requests, seed ${seed}`);
    const result = await fuzz(target, { executable: values.schemathesis, directory, requests, seed });
    console.log(`${target.name}: ${result.requests} requests to ${result.operations} operations`);
    passed += result.operations - result.failedOperations;
    failed += result.failedOperations;
  }
  // What a fuzzer can't see: a fault whose answer was fine, or that came after it.
  const faults = log()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));
  for (const line of faults.slice(0, 20)) console.log(line);
  if (faults.length > 0) failed++;
  else passed++;
} finally {
  await stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
