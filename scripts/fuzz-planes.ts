/** Fuzzes the planes and the admin socket; run by scripts/fuzz-api, which says what it does and how it is called. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzzing/schemathesis.ts';
import { startTargets } from './fuzzing/targets.ts';

const { values } = parseArgs({
  options: {
    schemathesis: { type: 'string', default: 'schemathesis' },
    only: { type: 'string' },
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
const secretsFile = join(directory, 'secrets.txt');
writeFileSync(secretsFile, '');
const { targets, log, readiness, secrets, stop } = await startTargets(directory);
let passed = 0;
let failed = 0;
function judge(isPassed: boolean, fault: string): void {
  if (isPassed) passed++;
  else failed++;
  if (!isPassed) console.log(`FAILED  ${fault}`);
}
try {
  for (const target of targets.filter(
    ({ name }) => values.only === undefined || name.startsWith(values.only),
  )) {
    const startMs = performance.now();
    console.log(`=== ${target.name}, at least ${requests} requests, seed ${seed}`);
    // A fuzzer that is let in nowhere finds nothing, and says that all is well.
    const before = await target.probe();
    const options = { executable: values.schemathesis, directory, secretsFile, requests, seed };
    const result = await fuzz(target, options);
    const seconds = Math.round((performance.now() - startMs) / 1000);
    console.log(
      `${target.name}: ${result.requests} requests to ${result.operations} operations, ${seconds} s`,
    );
    for (const name of result.unreached) console.log(`  only refused: ${name}`);
    passed += result.operations - result.failedOperations;
    failed += result.failedOperations;
    const after = await target.probe();
    judge(
      before === 200 && after === 200,
      `${target.name}: who is let in gets ${before} before and ${after} after, not 200`,
    );
  }
  const ready = await readiness();
  judge(ready === 200, `GET /ready is answered with ${ready} at the end`);
  // What a fuzzer can't see: a fault whose answer was fine, or that came after it.
  const lines = log().split('\n');
  const faults = lines.filter((line) => /"level":"(error|fatal)"/.test(line));
  judge(faults.length === 0, `the log has faults:\n${faults.slice(0, 20).join('\n')}`);
  const shown = new Set([...secrets, ...readFileSync(secretsFile, 'utf8').split('\n').filter(Boolean)]);
  const all = log();
  const leaked = [...shown].filter((secret) => all.includes(secret));
  judge(leaked.length === 0, `${leaked.length} of ${shown.size} secrets are in the log`);
} finally {
  const exitCode = await stop();
  judge(exitCode === 0, `the process ended with ${exitCode}`);
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
