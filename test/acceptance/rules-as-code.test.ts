import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, type CommandResult, startBrume } from '../support/brume-process.ts';

const page = readFileSync(new URL('../../docs/rules-as-code.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```(yaml|sh|text)\n(.*?)```/gs)].map(([, kind = '', text = '']) => ({
  kind,
  text,
}));

/** docs/rules-as-code.md from top to bottom: its files are written, its commands run, its outputs compared. */
describe('every example of docs/rules-as-code.md does what the page says', () => {
  let brume: BrumeProcess;
  let directory: string;
  let last: CommandResult = { exitCode: 0, stdout: '', stderr: '' };

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'brume-'));
    brume = await startBrume();
  });
  after(async () => {
    await brume?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has examples', () => ok(blocks.length > 15));

  for (const { kind, text } of blocks) {
    const [first = ''] = text.split('\n');
    if (kind === 'yaml') it(`the file ${first.slice(2)}`, () => writeFile(first.slice(2), text));
    if (kind === 'sh') {
      for (const line of text.trim().split('\n')) it(line, () => run(line));
    }
    if (kind === 'text') {
      it(`… answers ${first}`, () => equal(comparable(last.stdout + last.stderr), comparable(text)));
    }
  }

  it('afterwards the rules are those of the page, in one change each', async () => {
    const { items } = Object(await brume.json('rules', 'history', 'shop'));
    deepEqual(
      items.map(({ summary }: { summary: string }) => summary.split(',')[0]),
      ['1 namespace changed', '1 namespace created', '1 namespace changed', '2 namespaces created'],
    );
  });

  function writeFile(name: string, text: string): void {
    ok(/^[a-z]+\.yaml$/.test(name), `the first line of a file names it: ${name}`);
    writeFileSync(join(directory, name), text);
  }

  async function run(line: string): Promise<void> {
    const [command = '', comment = ''] = line.split(' # ');
    const [program, ...args] = command.trim().split(/\s+/);
    equal(program, 'brume');
    last = await brume.run(...args.map((arg) => (/\.yaml$/.test(arg) ? join(directory, arg) : arg)));
    equal(last.exitCode, Number(/exits with (\d)/.exec(comment)?.[1] ?? 0), last.stdout + last.stderr);
  }

  /** Without what differs from day to day: times, authors, and how wide these make columns. */
  function comparable(output: string): string {
    return output
      .replaceAll(`${directory}/`, '')
      .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}Z/g, 'TIME')
      .replaceAll(/local:\S+/g, 'AUTHOR')
      .replaceAll(/(?<=\S) {2,}/g, '  ')
      .trim();
  }
});

describe('what diff says of the counts in use is what happens to them', () => {
  let brume: BrumeProcess;
  let file: string;

  before(async () => {
    file = join(mkdtempSync(join(tmpdir(), 'brume-')), 'shop.yaml');
    brume = await startBrume();
  });
  after(async () => {
    await brume?.stop();
    rmSync(dirname(file), { recursive: true, force: true });
  });

  it('kept: a changed number', async () => {
    await apply('limits: [{ name: hour, algorithm: fixed_window, limit: 10, window: 10h }]', 'new');
    equal(await used(3), 3);
    await apply('limits: [{ name: hour, algorithm: fixed_window, limit: 20, window: 10h }]', 'kept');
    equal(await used(0), 3);
  });

  it('afresh: a changed window', async () => {
    await apply('limits: [{ name: hour, algorithm: fixed_window, limit: 20, window: 20h }]', 'afresh');
    equal(await used(4), 4);
  });

  it('forgotten: a limit that goes', async () => {
    await apply(
      'limits: [{ name: other, algorithm: fixed_window, limit: 20, window: 20h }]',
      'forgotten new',
    );
    equal(await used(5), 5);
  });

  it('uncounted: a namespace that goes, and returns with what was used by a rollback', async () => {
    writeFileSync(file, 'namespaces: {}\n');
    equal((await brume.run('rules', 'apply', file, '--prune', '--yes')).exitCode, 0);
    equal((await brume.run('peek', 'shop', 'login', 'alice')).exitCode, 1);
    const { items } = Object(await brume.json('rules', 'history', 'shop'));
    const back = Object(await brume.json('rules', 'rollback', 'shop', String(items[1].revision), '--yes'));
    equal(effectsOf(back), 'kept');
    equal(await used(0), 5);
  });

  /** Applies it as the only namespace of shop, and compares what diff says of the counts. */
  async function apply(rule: string, effects: string): Promise<void> {
    writeFileSync(file, `project: shop\nnamespaces: { login: { ${rule} } }\n`);
    const applied = Object(await brume.json('rules', 'apply', file, '--create'));
    equal(effectsOf(applied), effects);
  }

  function effectsOf({ effects }: { effects: { effect: string }[] }): string {
    return effects.map(({ effect }) => effect).join(' ');
  }

  /** How much alice has used after another check of this cost. */
  async function used(cost: number): Promise<number> {
    const { limit, remaining } = Object(
      await brume.json('limit', 'shop', 'login', 'alice', '--cost', String(cost)),
    );
    return limit - remaining;
  }
});
