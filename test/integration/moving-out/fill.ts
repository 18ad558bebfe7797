import { equal, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askAdmin } from '../../support/admin-socket.ts';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { dataCall } from './data-call.ts';
import { makeKeys, type ProjectKeys } from './keys.ts';
import { COUNTED, identifierOf, rulesOf } from './rules.ts';

/** How many exceptions the installation has, and a fifth as many identifiers that are counted. */
export const EXCEPTIONS = Number(process.env.TEST_MOVING_OUT_ROWS ?? 10_000);
export const COUNTERS = EXCEPTIONS / 5;
/** One in three identifiers has an exception. */
export const STEP = 3;

const PORTION = 1000;
const IMPORT_LINES = 10_000;

/** Fills a Brume over its command line, its admin socket and its data plane. */
export async function fill(brume: BrumeProcess, directory: string): Promise<Map<string, ProjectKeys>> {
  const keys = new Map<string, ProjectKeys>();
  const rules: Record<string, Record<string, object>> = rulesOf(Date.now());
  for (const [project, namespaces] of Object.entries(rules)) {
    await apply(brume, directory, { project, namespaces });
    keys.set(project, await makeKeys(brume, project));
  }
  await count(brume, keys);
  await importFile(brume, directory, ['block', 'shop', 'login'], EXCEPTIONS * 0.4);
  await importFile(brume, directory, ['exempt', 'shop', 'api'], EXCEPTIONS * 0.2);
  await importOverrides(brume, EXCEPTIONS * 0.3);
  await apply(brume, directory, {
    project: 'mail',
    namespaces: { send: { ...rules.mail?.send, ...sections(EXCEPTIONS * 0.1) } },
  });
  return keys;
}

interface RulesFile {
  readonly project: string;
  readonly namespaces: Readonly<Record<string, object>>;
}

async function apply(brume: BrumeProcess, directory: string, rules: RulesFile) {
  const file = join(directory, `${rules.project}.yaml`);
  writeFileSync(file, JSON.stringify(rules));
  await done(brume, 'rules', 'apply', file, '--create', '--yes');
}

/** Each identifier has used another amount; some more than they may. */
async function count(brume: BrumeProcess, keys: ReadonlyMap<string, ProjectKeys>): Promise<void> {
  const each = COUNTERS / COUNTED.length;
  for (const [project, namespace] of COUNTED) {
    const key = keys.get(project)?.all ?? '';
    for (let first = 0; first < each; first += PORTION) {
      const numbers = Array.from({ length: Math.min(PORTION, each - first) }, (_, index) => first + index);
      for (const factor of [1, 3]) {
        const checks = numbers.map((number) => ({
          namespace,
          identifier: identifierOf(namespace, number),
          cost: 1 + (number % 3) * factor,
        }));
        const { status, body } = await dataCall(brume, key, 'POST', 'limit/batch', { checks });
        equal(status, 200, JSON.stringify(body));
      }
    }
  }
}

async function importFile(
  brume: BrumeProcess,
  directory: string,
  [kind, project, namespace]: readonly [string, string, string],
  lines: number,
): Promise<void> {
  for (let first = 0; first < lines; first += IMPORT_LINES) {
    const text = Array.from({ length: Math.min(IMPORT_LINES, lines - first) }, (_, index) => {
      const number = first + index;
      const until = number % 2 === 0 ? '' : `${1 + (number % 30)}d`;
      return `${identifierOf(namespace, number * STEP)},${until},"number ${number}, ""Zoë"" 🚀"`;
    });
    if (first === 0)
      text.push(namespace === 'login' ? '172.16.0.0/12,,a network' : 'customer-*7,2d,a pattern');
    const file = join(directory, `${namespace}-${first}.csv`);
    writeFileSync(file, text.join('\n'));
    await done(brume, kind, 'import', namespace, file, '--project', project);
  }
}

async function importOverrides(brume: BrumeProcess, length: number): Promise<void> {
  for (let first = 0; first < length; first += PORTION) {
    const entries = Array.from({ length: Math.min(PORTION, length - first) }, (_, index) => ({
      match: identifierOf('pay', (first + index) * STEP),
      limits: [
        { name: 'day', limit: 100 + index },
        { name: 'hour', mode: index % 2 === 0 ? 'shadow' : 'off' },
      ],
      reason: `contract ${first + index}`,
    }));
    const path = '/v1/projects/bank/namespaces/pay/overrides/import';
    await askAdmin(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'POST', path, { entries });
  }
}

/** Of a file of rules. */
function sections(length: number) {
  const entries = Array.from({ length: length / 3 }, (_, index) => index * STEP);
  const match = (number: number) => ({ match: identifierOf('send', number), reason: `number ${number}` });
  const until = new Date(Date.now() + 86_400_000 * 90).toISOString();
  return {
    blocks: entries.map((number) => ({ ...match(number), until })),
    exemptions: entries.map((number) => match(number + 1)),
    overrides: [
      ...entries.map((number) => ({ ...match(number + 2), limits: [{ name: 'exact', limit: 9000 }] })),
      { match: 'customer-1*', limits: [{ name: 'even', limit: 90, burst: 9 }] },
    ],
  };
}

async function done(brume: BrumeProcess, ...command: string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await brume.run(...command);
  ok(exitCode === 0, `brume ${command.join(' ')}: ${stdout}${stderr}`);
}
