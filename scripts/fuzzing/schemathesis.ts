import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './targets.ts';

export interface FuzzOptions {
  readonly executable: string;
  /** For its reports. */
  readonly directory: string;
  /** At least so many are sent. */
  readonly requests: number;
  readonly seed: number;
}

export interface FuzzResult {
  readonly requests: number;
  readonly operations: number;
  readonly failedOperations: number;
}

/** The parts of its report that are read here. */
interface Report {
  readonly exit_code: number;
  readonly operations: { readonly selected: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly operations: readonly string[] }[];
}

/** An answer has a documented status, media type, headers and body, and is no fault of ours. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Each round sends what the document alone asks for, and random requests until the number is reached. */
const ROUNDS_MAX = 20;
const STEERING = join(import.meta.dirname, 'steer.py');

/** Rounds with one seed after another until enough was sent, or an operation has failed. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  let requests = 0;
  let operations = 0;
  let examples = 10;
  const failed = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX && requests < options.requests && failed.size === 0; round++) {
    const report = await run(target, options, options.seed + round, examples);
    requests += report.test_cases.generated;
    operations = report.operations.selected;
    for (const failure of report.failures) for (const name of failure.operations) failed.add(name);
    if (report.exit_code !== 0 && failed.size === 0) failed.add('its own run');
    if (operations === 0) failed.add('the document, which has no operations');
    examples = Math.ceil((options.requests - requests) / Math.max(operations, 1));
  }
  if (requests < options.requests && failed.size === 0) failed.add(`the number: ${requests} were sent`);
  for (const name of failed) console.log(`FAILED  ${target.name}: ${name}`);
  return { requests, operations: Math.max(operations, failed.size), failedOperations: failed.size };
}

async function run(
  { url, document, header, kept }: Target,
  { executable, directory }: FuzzOptions,
  seed: number,
  examples: number,
): Promise<Report> {
  const report = join(directory, `report-${seed}.json`);
  const args = [
    ...['run', document, '--url', url, '--header', header],
    ...['--checks', CHECKS.join(','), '--phases', 'coverage,fuzzing'],
    ...['--max-examples', String(examples), '--seed', String(seed), '--generation-database', 'none'],
    ...['--continue-on-failure', '--request-timeout', '20', '--warnings', 'off', '--no-color'],
    ...['--report-json-path', report],
  ];
  const child = spawn(executable, args, {
    // Its own settings would be looked for in the directory that it runs in.
    cwd: directory,
    env: { ...process.env, SCHEMATHESIS_HOOKS: STEERING, FUZZ_KEPT: kept.join() },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'exit');
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}
