import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAdmin } from '../../support/admin-socket.ts';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { dataCall } from './data-call.ts';
import { COUNTERS, EXCEPTIONS, STEP } from './fill.ts';
import type { ProjectKeys } from './keys.ts';
import { withoutTimes } from './promises.ts';
import { COUNTED, identifierOf, PROJECTS } from './rules.ts';

const SAMPLE = 1000;
const AT_ONCE = 4;
const KINDS = ['blocks', 'exemptions', 'overrides'] as const;

interface Sampled {
  readonly project: string;
  readonly asked: { readonly namespace: string; readonly identifier: string };
}

/** What is seen of an installation from outside, by what it is. */
export type Seen = ReadonlyMap<string, readonly unknown[]>;

/** Random identifiers: some with counts, some with exceptions, some with both or neither; those with leases. */
export function sample(): Sampled[] {
  const sampled: Sampled[] = [
    { project: 'shop', asked: { namespace: 'exports', identifier: 'holder' } },
    { project: 'shop', asked: { namespace: 'jobs', identifier: 'reserver' } },
  ];
  for (let index = 0; index < SAMPLE; index++) {
    const [project, namespace] = COUNTED[index % COUNTED.length] ?? COUNTED[0];
    const range = Math.random() < 0.6 ? COUNTERS / COUNTED.length : EXCEPTIONS * 0.4 * STEP;
    const identifier = identifierOf(namespace, Math.floor(Math.random() * range));
    sampled.push({ project, asked: { namespace, identifier } });
  }
  return sampled;
}

/** Rules, exceptions, history, keys and verdicts. */
export async function look(
  brume: BrumeProcess,
  keys: ReadonlyMap<string, ProjectKeys>,
  sampled: readonly Sampled[],
): Promise<Seen> {
  const asked: Record<string, () => Promise<readonly unknown[]>> = {};
  for (const project of PROJECTS) {
    const path = `/v1/projects/${project}`;
    asked[`export of ${project}`] = async () => (await exported(brume, project)).split('\n');
    asked[project] = async () => [await ask(brume, path)];
    for (const list of ['namespaces', 'changes?limit=1000'])
      asked[`${list} of ${project}`] = async () => (await ask(brume, `${path}/${list}`)).items;
    asked[`keys of ${project}`] = async () => (await ask(brume, `${path}/keys`)).items.map(withoutLastUse);
  }
  for (const [project, namespace] of COUNTED) {
    for (const kind of KINDS) {
      const path = `/v1/projects/${project}/namespaces/${namespace}/${kind}`;
      asked[`${kind} of ${namespace}`] = () => pages(brume, path);
    }
  }
  asked.verdicts = () => verdicts(brume, keys, sampled);
  const seen = new Map<string, readonly unknown[]>();
  await inTurn(Object.entries(asked), async ([what, look]) => {
    seen.set(what, await look());
  });
  return seen;
}

/** When a key was last used is written once a minute, and goes on while the installations are compared. */
function withoutLastUse(key: unknown): unknown {
  return { ...Object(key), lastUsedAt: undefined };
}

/** Fails with the first thing that differs. */
export function assertSame(found: Seen, wanted: Seen): void {
  deepEqual([...found.keys()].sort(), [...wanted.keys()].sort());
  for (const [what, items] of wanted) {
    const others = found.get(what) ?? [];
    equal(others.length, items.length, `number of ${what}`);
    const at = items.findIndex((item, index) => JSON.stringify(item) !== JSON.stringify(others[index]));
    deepEqual(others[at], items[at], what);
    equal(at, -1, what);
  }
}

async function exported(brume: BrumeProcess, project: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'brume-'));
  try {
    const file = join(directory, 'rules.yaml');
    const { exitCode, stderr } = await brume.run('rules', 'export', project, '-o', file);
    equal(exitCode, 0, stderr);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function pages(brume: BrumeProcess, path: string): Promise<unknown[]> {
  const items: unknown[] = [];
  let next: unknown = '';
  do {
    const after = next === '' ? '' : `&after=${encodeURIComponent(String(next))}`;
    const page = await ask(brume, `${path}?limit=1000&expired=true${after}`);
    items.push(...page.items);
    next = page.next;
  } while (typeof next === 'string');
  return items;
}

async function ask({ settings }: BrumeProcess, path: string) {
  return Object(await askAdmin(settings.BRUME_ADMIN_SOCKET ?? '', 'GET', path));
}

async function verdicts(
  brume: BrumeProcess,
  keys: ReadonlyMap<string, ProjectKeys>,
  sampled: readonly Sampled[],
): Promise<unknown[]> {
  const found: unknown[] = [];
  await inTurn(sampled.entries(), async ([index, { project, asked }]) => {
    const { status, body } = await dataCall(brume, keys.get(project)?.all ?? '', 'POST', 'peek', asked);
    equal(status, 200, JSON.stringify(body));
    equal(body?.degraded, false);
    found[index] = withoutTimes(body);
  });
  return found;
}

/** Does all of it, a few at a time. */
async function inTurn<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  async function caller(): Promise<void> {
    for (let item = left.next(); item.done !== true; item = left.next()) await work(item.value);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}
