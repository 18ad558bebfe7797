import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './targets.ts';

export interface FuzzOptions {
  readonly executable: string;
  /** For its reports. */
  readonly directory: string;
  /** Gets the secrets that answers show, one a line. */
  readonly secretsFile: string;
  /** At least so many are sent. */
  readonly requests: number;
  readonly seed: number;
}

export interface FuzzResult {
  readonly requests: number;
  readonly operations: number;
  /** Operations that were never answered with a 2xx. */
  readonly unreached: readonly string[];
  readonly failedOperations: number;
}

/** The parts of its report that are read here. */
interface Report {
  readonly exit_code: number;
  readonly operations: { readonly selected: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly operations: readonly string[] }[];
}

/** One run of schemathesis. */
interface Round {
  readonly document: string;
  readonly phases: 'coverage' | 'fuzzing,stateful';
  /** Of each operation, while fuzzing. */
  readonly examples: number;
  readonly seed: number;
}

/**
 * An answer has a documented status, media type, headers and body, is no fault of ours, and breaks none
 * of the rules in checks.py.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'brume_problem_is_whole',
  'brume_stranger_is_refused',
  'brume_other_method_is_refused',
  'brume_secret_is_shown_once',
];
const ANSWER_MAX_S = 5;
const ROUNDS_MAX = 20;
/** From so many on nothing is left out to save time. */
const LONG_RUN_REQUESTS = 5000;
const HOOKS = join(import.meta.dirname, 'steer.py');

/**
 * First each boundary of the document once, then random requests and those that follow from answers, with
 * one seed after another, until enough were sent or an operation has failed.
 */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const { plain, deep } = target.documents;
  const isLong = options.requests >= LONG_RUN_REQUESTS;
  const systematic = isLong ? [plain, deep] : target.isRepeated ? [] : [plain];
  let requests = 0;
  let operations = 0;
  const failed = new Set<string>();
  const reachedFile = join(options.directory, `${target.name}.reached`);
  for (let round = 0; round < ROUNDS_MAX && failed.size === 0; round++) {
    const isSystematic = round < systematic.length;
    if (!isSystematic && round > systematic.length && requests >= options.requests) break;
    const missing = Math.max(options.requests - requests, options.requests / 4);
    const report = await run(
      target,
      { ...options, reachedFile },
      {
        document: systematic[round] ?? deep,
        phases: isSystematic ? 'coverage' : 'fuzzing,stateful',
        examples: Math.ceil(missing / Math.max(operations, 50)),
        seed: options.seed + round,
      },
    );
    requests += report.test_cases.generated;
    operations = report.operations.selected;
    for (const failure of report.failures) for (const name of failure.operations) failed.add(name);
    if (report.exit_code !== 0 && failed.size === 0) failed.add('its own run');
    if (operations === 0) failed.add('the document, which has no operations');
  }
  if (requests < options.requests && failed.size === 0) failed.add(`the number: ${requests} were sent`);
  for (const name of failed) console.log(`FAILED  ${target.name}: ${name}`);
  const reached = new Set(existsSync(reachedFile) ? linesOf(reachedFile) : []);
  const unreached = operationsOf(plain).filter((name) => !reached.has(name));
  return {
    requests,
    operations: Math.max(operations, failed.size),
    unreached,
    failedOperations: failed.size,
  };
}

async function run(
  { url, steering }: Target,
  { executable, directory, secretsFile, reachedFile }: FuzzOptions & { readonly reachedFile: string },
  { document, phases, examples, seed }: Round,
): Promise<Report> {
  const report = join(directory, 'report.json');
  const args = [
    ...['run', document, '--url', url],
    ...['--checks', CHECKS.join(','), '--phases', phases],
    ...['--max-examples', String(examples), '--seed', String(seed), '--generation-database', 'none'],
    ...['--continue-on-failure', '--request-timeout', '20', '--max-response-time', String(ANSWER_MAX_S)],
    ...['--warnings', 'off', '--no-color', '--report-json-path', report],
  ];
  const child = spawn(executable, args, {
    // Its own settings would be looked for in the directory that it runs in.
    cwd: directory,
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: HOOKS,
      FUZZ_STEERING: steering,
      FUZZ_SECRETS: secretsFile,
      FUZZ_REACHED: reachedFile,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'exit');
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

/** As its reports name them: `GET /v1/projects`. */
function operationsOf(document: string): string[] {
  const { paths } = JSON.parse(readFileSync(document, 'utf8')) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
