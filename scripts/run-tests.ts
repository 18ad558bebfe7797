/**
 * Runs test files with node:test, prints them as they go, and ends with one line,
 * `N passed, N failed`. A test that is skipped or still to be written, a file without tests and a
 * run without tests count as failed: what doesn't run proves nothing. Where a Valkey is found, the files that
 * are about Redis run once more with it.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startPostgres } from '../test/support/postgres-server.ts';
import { isForValkey, valkeyServer } from './valkey-server.ts';

/** A file that takes longer hangs: something in it was left running. scripts/test-long allows for more. */
process.env.TEST_FILE_TIMEOUT_MINUTES ??= '5';
/** Files at once. The tests start servers, which share the cores with them. */
const CONCURRENCY = 2;

const root = join(import.meta.dirname, '..');
/** Loaded before each file. */
const PRELOADED = ['file-deadline.ts', 'fast-check-seed.ts'].map((name) => join(root, 'test/support', name));
const named = process.argv.slice(2).map((file) => resolve(file));
// The acceptance tests take longest: first, so that the others fill the gaps.
const files =
  named.length > 0 ? named : [...testFiles('test/acceptance'), ...testFiles('test', 'acceptance')];

// The same random inputs each time: what passed on one machine passes on the next. scripts/test-long takes others.
process.env.TEST_SEED ??= '20261130';
process.env.TEST_BRUME_EXECUTABLE ??= join(root, 'dist/brume');

// Some thousand processes load the same modules: what Node.js made of them is kept for the length of the run.
const compiled = mkdtempSync(join(tmpdir(), 'brume-compiled-'));
process.on('exit', () => rmSync(compiled, { recursive: true, force: true }));
process.env.NODE_COMPILE_CACHE = compiled;

// One cluster for the whole run, a database for each test in it. A single file starts its own.
const postgres = named.length > 0 ? undefined : await startPostgres();
if (postgres !== undefined) process.env.BRUME_TEST_POSTGRES = postgres.url;

let passed = 0;
const failures: string[] = [];

await runFiles(files);
const forValkey = files.filter(isForValkey);
const valkey = valkeyServer();
if (valkey !== undefined && forValkey.length > 0) {
  console.log(`Once more with Valkey, ${valkey}`);
  process.env.TEST_REDIS_SERVER = valkey;
  await runFiles(forValkey, 'Valkey: ');
}
await postgres?.stop();

if (valkey === undefined && forValkey.length > 0)
  console.log('Valkey was left out: no valkey-server in PATH, and TEST_VALKEY_SERVER names none');
for (const failure of failures) console.log(`failed: ${failure}`);
if (passed + failures.length === 0) {
  failures.push('nothing');
  console.log('failed: no test was run');
}
process.exitCode = failures.length === 0 ? 0 : 1;
console.log(`${passed} passed, ${failures.length} failed`);

/** Whoever measures how long callers wait has the machine for itself, after all others. */
async function runFiles(chosen: string[], engine = ''): Promise<void> {
  const isLoad = (file: string): boolean => /^load\b/.test(basename(file));
  const [measuring, others] = [chosen.filter(isLoad), chosen.filter((file) => !isLoad(file))];
  if (others.length > 0) await runAtOnce(others, CONCURRENCY, engine);
  if (measuring.length > 0) await runAtOnce(measuring, 1, engine);
}

async function runAtOnce(chosen: string[], concurrency: number, engine: string): Promise<void> {
  const events = run({
    files: chosen,
    concurrency,
    execArgv: PRELOADED.flatMap((module) => ['--import', module]),
  });
  events.on('test:pass', ({ name, file, details, skip, todo }) => {
    if (details.type === 'suite') return;
    if (isFile(name)) failures.push(`${engine}${file}: no test in it`);
    else if (skip !== undefined || todo !== undefined) failures.push(`${engine}${name}: did not run`);
    else passed++;
  });
  events.on('test:fail', ({ name, details }) => {
    // A suite fails with its tests, which are counted; else in a hook of its own.
    const isEcho = details.type === 'suite' && failureType(details.error) === 'subtestsFailed';
    if (!isEcho) failures.push(`${engine}${name}`);
  });
  const report = events.compose(spec);
  report.pipe(process.stdout, { end: false });
  await finished(report);
}

function testFiles(folder: string, except = ''): string[] {
  const pattern = join(root, folder, '**/*.test.ts');
  return globSync(pattern, { exclude: except === '' ? [] : [join(root, folder, except, '**')] }).sort();
}

function failureType(error: Error): unknown {
  return 'failureType' in error ? error.failureType : undefined;
}

/** node:test reports a file itself as a test if it holds none, or if its process failed. */
function isFile(name: string): boolean {
  return files.includes(resolve(root, name)) || files.includes(name);
}
