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
if (!numbers.every((text) => /^[0-9]{1,10}$/.test(text))) {
  throw new Error('--requests and --seed take whole numbers of at most 10 digits');
}
const [requests = 0, seed = 0] = numbers.map(Number);

const directory = mkdtempSync(join(tmpdir(), 'brume-fuzz-'));
const { targets, log, stop } = await startTargets(directory);
let passed = 0;
let failed = 0;
try {
  for (const target of targets) {
    console.log(`=== ${target.name}, at least ${requests} requests, seed ${seed}`);
    // A fuzzer that is let in nowhere finds nothing, and says that all is well.
    const before = await target.probe();
    const result = await fuzz(target, { executable: values.schemathesis, directory, requests, seed });
    console.log(`${target.name}: ${result.requests} requests to ${result.operations} operations`);
    passed += result.operations - result.failedOperations;
    failed += result.failedOperations;
    const after = await target.probe();
    if (before === 200 && after === 200) continue;
    console.log(
      `FAILED  ${target.name}: with its key it answers ${before} before and ${after} after, not 200`,
    );
    failed++;
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
