import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type AdminHarness, startAdminPlane } from '../planes/admin/admin-harness.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type Run, runWith } from './fake-terminal.ts';

type Options = Parameters<typeof runWith>[1];

interface Shell extends AdminHarness {
  /** `brume rules …` against the plane. */
  rules(args: string, options?: Options): Promise<Run>;
  /** A file in a directory of its own. */
  file(name: string, text: string): string;
}

async function shell(
  t: TestContext,
  projects: readonly string[] = ['shop'],
  replace?: Parameters<typeof startAdminPlane>[1],
): Promise<Shell> {
  const harness = await startAdminPlane(t, replace);
  const directory = temporaryDirectory(t);
  for (const name of projects) await harness.call('POST', '/v1/projects', { body: { name } });
  return {
    ...harness,
    rules: (args, options) => runWith(['rules', ...args.split(' '), '--socket', harness.socketPath], options),
    file: (name, text) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    },
  };
}

const login = (limit: number, more = '') =>
  `project: shop\nnamespaces:\n  login:\n    limits: [{ name: minute, algorithm: gcra, limit: ${limit}, window: 1m }]\n${more}`;

test('diff exits with 0 where nothing differs, 1 where something does, 2 where it cannot be found out', async (t) => {
  const { rules, file } = await shell(t);
  const path = file('shop.yaml', login(5));
  const differs = await rules(`diff ${path}`);
  assert.equal(differs.exitCode, 1);
  assert.match(differs.stdout, /^\+ namespace login\n {4}kind: text\n/);
  assert.match(differs.stdout, /\nIn shop: 1 namespace created\.$/);
  assert.equal((await rules(`apply ${path}`)).exitCode, 0);
  const same = await rules(`diff ${path}`);
  assert.deepEqual([same.exitCode, same.stdout], [0, 'Nothing would change in shop.']);
  for (const args of [
    `diff ${path}.absent`,
    `diff ${file('bad.yaml', 'namespaces: 1')}`,
    `diff ${file('other.yaml', login(1).replace('shop', 'none'))}`,
  ]) {
    const { exitCode, stderr } = await rules(args);
    assert.equal(exitCode, 2, args);
    assert.match(stderr, /^brume: /);
  }
  const away = await runWith(['rules', 'diff', path, '--socket', '/nonexistent/admin.sock']);
  assert.equal(away.exitCode, 2);
});

test('diff tells member by member what changes, and what it means for the counts in use', async (t) => {
  const { rules, file } = await shell(t);
  await rules(`apply ${file('a.yaml', login(5, '    blocks: [{ match: eve }]\n'))}`);
  const changed = login(
    6,
    '    quotas: [{ limit: 9, period: day }]\n    blocks: [{ match: eve, reason: x }, { match: "a*" }]\n',
  ).replace('1m', '2m');
  const { stdout } = await rules(`diff ${file('b.yaml', changed)}`);
  assert.equal(
    stdout,
    `~ namespace login
    limits.minute.limit: 5 → 6
    limits.minute.window: 1m → 2m
    quotas.day.limit: 9
    quotas.day.period: day
    quotas.day.timeZone: UTC
    => minute: counts begin at 0: what is counted by has changed (window)
    => day: counts begin at 0
~ block eve in login: reason x
+ block a* in login

In shop: 1 namespace changed, 1 block created, 1 block changed.`,
  );
  const { json } = JSON.parse(`{"json":${(await rules(`diff ${file('b.yaml', changed)} --json`)).stdout}}`);
  assert.deepEqual(
    json.effects.map(({ effect }: { effect: string }) => effect),
    ['afresh', 'new'],
  );
});

test('every fault of a file is told with file, line and column, as JSON too', async (t) => {
  const { rules, file } = await shell(t);
  const path = file(
    'bad.yaml',
    'namespaces:\n  login:\n    limts: []\n    limits: [{ algorithm: gcra, limit: "5", window: 1m }]\n',
  );
  const { exitCode, stderr } = await rules(`apply ${path}`);
  assert.equal(exitCode, 2);
  assert.deepEqual(stderr.split('\n').slice(1), [
    `${path}:3:5: namespaces.login.limts is not a known member; did you mean limits?`,
    `${path}:4:40: namespaces.login.limits[0].limit is text: write the number 5 without quotes.`,
  ]);
  const { error } = JSON.parse((await rules(`apply ${path} --json`)).stderr);
  assert.equal(error.code, 'invalid_file');
  assert.deepEqual(error.faults[0], {
    line: 3,
    column: 5,
    text: 'namespaces.login.limts is not a known member; did you mean limits?',
  });
});

test('before anything is removed it is asked; nobody to ask needs --yes; nothing else asks', async (t) => {
  const { rules, file, call } = await shell(t);
  const first = file(
    'a.yaml',
    login(5, '    blocks: [{ match: eve }]\n  api: { quotas: [{ limit: 1, period: day }] }\n'),
  );
  assert.deepEqual((await rules(`apply ${first}`, { answer: 'n' })).questions, []);
  const second = file('b.yaml', login(6, '    blocks: []\n'));
  const kept = await rules(`apply ${second}`);
  assert.equal(kept.exitCode, 0, 'without --prune nothing is removed');

  const refused = await rules(`apply ${second} --prune`);
  assert.equal(refused.exitCode, 2);
  assert.match(
    refused.stderr,
    /1 namespace, 1 block would be removed, and nobody can be asked here: add --yes/,
  );
  const denied = await rules(`apply ${second} --prune`, { answer: 'n' });
  assert.deepEqual([denied.exitCode, denied.stdout], [1, 'Nothing was changed.']);
  assert.deepEqual(denied.questions, ['Remove 1 namespace, 1 block, and do the rest? [y/N] ']);
  assert.match(denied.stderr, /^- namespace api/m);
  assert.equal((await call('GET', '/v1/projects/shop/namespaces/api')).status, 200);

  assert.equal((await rules(`apply ${second} --prune`, { answer: 'y' })).exitCode, 0);
  assert.equal((await call('GET', '/v1/projects/shop/namespaces/api')).status, 404);
});

test('an export applied to its project changes nothing, and -o writes it to a file', async (t) => {
  const { rules, file } = await shell(t);
  await rules(
    `apply ${file('a.yaml', login(5, '    kind: ip\n    exemptions: [{ match: 198.51.100.0/24, until: 2099-01-01T00:00:00Z, reason: "a: b" }]\n'))}`,
  );
  const { stdout } = await rules('export shop');
  const path = file('x.yaml', '');
  assert.equal((await rules(`export shop -o ${path}`)).stdout, `Written to ${path}.`);
  assert.equal(readFileSync(path, 'utf8'), `${stdout}\n`);
  assert.equal((await rules(`diff ${path} --prune`)).exitCode, 0);
  assert.equal((await rules('diff - --prune', { input: stdout })).exitCode, 0);
  const { rules: json } = JSON.parse((await rules('export shop --json')).stdout);
  assert.equal(json.namespaces.login.exemptions[0].match, '198.51.100.0/24');
});

test('which project: the file says, or --project, or there is only one; not two of them differently', async (t) => {
  const { rules, file } = await shell(t, ['shop', 'docs']);
  const unnamed = file('a.yaml', login(5).replace('project: shop\n', ''));
  const asked = await rules(`apply ${unnamed}`);
  assert.deepEqual(
    [asked.exitCode, /--project NAME\. There are: docs, shop\./.test(asked.stderr)],
    [2, true],
    asked.stderr,
  );
  assert.equal((await rules(`apply ${unnamed} --project docs`)).exitCode, 0);
  const both = await rules(`apply ${file('b.yaml', login(5))} --project docs`);
  assert.deepEqual(
    [both.exitCode, /about the project shop, and --project says docs/.test(both.stderr)],
    [2, true],
  );
});

test('diff --create shows a project that is not there as new, and creates nothing', async (t) => {
  const { rules, file, call } = await shell(t, ['docs']);
  const path = file('a.yaml', login(5, "    blocks: [{ match: '*' }]\n"));
  assert.equal((await rules(`diff ${path}`)).exitCode, 2);
  const { exitCode, stdout } = await rules(`diff ${path} --create`);
  assert.equal(exitCode, 1);
  assert.match(
    stdout,
    /^\+ project shop\n\+ namespace login\n {4}kind: text\n[\s\S]*=> counts begin at 0\n\+ block \*/,
  );
  assert.match(stdout, /\nWarning: a block of \* denies everybody in login\.\n/);
  assert.match(stdout, /\nIn shop: 1 namespace created, 1 block created\.$/);
  const shown = JSON.parse((await rules(`diff ${path} --create --json`)).stdout);
  assert.equal((await call('GET', '/v1/projects/shop')).status, 404);
  const applied = JSON.parse((await rules(`apply ${path} --create --json`)).stdout);
  assert.deepEqual([shown.isNewProject, shown.revision, shown.summary], [true, 0, applied.summary]);
  assert.deepEqual(
    shown.items.map(({ namespace, exception }: Record<string, unknown>) => [namespace, exception]),
    applied.items.map(({ namespace, exception }: Record<string, unknown>) => [namespace, exception]),
  );
  assert.equal((await rules(`diff ${path} --create`)).exitCode, 0);
  const unnamed = file('b.yaml', login(5).replace('project: shop\n', ''));
  assert.match((await rules(`diff ${unnamed} --create`)).stderr, /^brume: Say which project to create/);
});

test('a project that is not there is created with --create only', async (t) => {
  const { rules, file, call } = await shell(t, []);
  const path = file('a.yaml', login(5));
  const missing = await rules(`apply ${path}`);
  assert.deepEqual([missing.exitCode, missing.stderr], [1, 'brume: There is no such project.']);
  assert.equal((await rules(`apply ${path} --create`)).exitCode, 0);
  assert.equal(
    (await rules(`apply ${path} --create`)).stdout,
    'Nothing to change: shop has these rules already, at revision 2.',
  );
  assert.equal((await call('GET', '/v1/projects/shop/namespaces/login')).status, 200);
});

test('--expect refuses where somebody else has changed the project', async (t) => {
  const { rules, file } = await shell(t);
  await rules(`apply ${file('a.yaml', login(5))}`);
  const { items } = JSON.parse((await rules('history shop --json')).stdout);
  await rules(`apply ${file('a.yaml', login(6))}`);
  const { exitCode, stderr } = await rules(`apply ${file('a.yaml', login(7))} --expect ${items[0].revision}`);
  assert.equal(exitCode, 1);
  assert.match(stderr, /revision|last change/);
  assert.match((await rules('export shop')).stdout, /limit: 6,/);
});

test('what somebody else changes between looking and doing is looked at anew, and asked anew', async (t) => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const { rules, file, call } = await shell(t, ['shop'], ({ rules: store }) => ({
    rules: {
      exportRules: (...args) => store.exportRules(...args),
      diffRules: async (...args) => {
        const difference = await store.diffRules(...args);
        await meanwhile?.();
        meanwhile = undefined;
        return difference;
      },
      applyRules: (...args) => store.applyRules(...args),
      listChanges: (...args) => store.listChanges(...args),
      findChange: (...args) => store.findChange(...args),
      rollBack: (...args) => store.rollBack(...args),
    },
  }));
  await rules(`apply ${file('a.yaml', login(5, '    blocks: [{ match: eve }]\n'))}`);
  meanwhile = () => call('POST', '/v1/projects/shop/namespaces/login/blocks', { body: { match: 'mallory' } });
  const path = file('b.yaml', login(6, '    blocks: []\n'));
  const { exitCode, questions, stdout } = await rules(`apply ${path} --prune`, { answer: 'y' });
  assert.equal(exitCode, 0);
  assert.deepEqual(questions, [
    'Remove 1 block, and do the rest? [y/N] ',
    'Remove 2 blocks, and do the rest? [y/N] ',
  ]);
  assert.match(stdout, /- block eve in login\n- block mallory in login\n/);
});

test('history lists changes and shows one; rollback shows what it undoes, asks, and puts back', async (t) => {
  const { rules, file } = await shell(t);
  assert.equal((await rules('history shop')).stdout, 'No change of shop is recorded yet.');
  await rules(`apply ${file('a.yaml', login(5))}`);
  await rules(`apply ${file('b.yaml', login(6, '    blocks: [{ match: eve }]\n'))}`);
  const { items } = JSON.parse((await rules('history shop --json')).stdout);
  const [second, first] = items.map(({ revision }: { revision: number }) => revision);
  assert.match(
    (await rules('history')).stdout,
    /^REVISION +WHEN +AUTHOR +WHAT\n +\d+ +\S+ \S+ +local:\S+ +1 namespace changed, 1 block created\n/,
  );
  assert.equal((await rules('history shop --limit 1')).stdout.split('\n').length, 2);
  assert.match(
    (await rules(`history shop ${second}`)).stdout,
    /~ namespace login\n {4}limits\.minute\.limit: 5 → 6\n\+ block eve in login$/,
  );

  assert.equal((await rules(`rollback shop ${first}`)).exitCode, 2);
  const denied = await rules(`rollback shop ${first}`, { answer: '' });
  assert.deepEqual([denied.exitCode, denied.questions], [1, ['Undo this change of shop? [y/N] ']]);
  assert.match(denied.stderr, /1 namespace changed, 1 block created/);
  const done = await rules(`rollback shop ${first}`, { answer: 'yes' });
  assert.equal(done.exitCode, 0, done.stderr);
  assert.match(done.stdout, /limit: 6 → 5/);
  assert.match(
    done.stdout,
    /Rolled back to revision \d+, as revision \d+: 1 namespace changed, 1 block removed\.$/,
  );
  assert.equal((await rules(`diff ${file('a.yaml', login(5))} --prune`)).exitCode, 0);
  const last = JSON.parse((await rules('history shop --json')).stdout).items[0].revision;
  assert.match((await rules(`rollback shop ${last}`)).stdout, /^Nothing to undo/);
  assert.equal((await rules('rollback shop 999')).exitCode, 1);
});

test('entries that have expired are told, and count for nothing', async (t) => {
  const { rules, file } = await shell(t);
  const { stdout } = await rules(
    `apply ${file('a.yaml', login(5, '    blocks: [{ match: eve, until: 2020-01-01T00:00:00Z }]\n'))}`,
  );
  assert.match(
    stdout,
    /Applied to shop as revision \d+: 1 namespace created\.\nAn entry of the file has expired and is as if it were not there\.$/,
  );
});

test('schema prints the JSON Schema that is in docs/', async () => {
  const { stdout } = await runWith(['rules', 'schema']);
  assert.deepEqual(
    JSON.parse(stdout),
    JSON.parse(readFileSync(new URL('../../docs/rules.schema.json', import.meta.url), 'utf8')),
  );
});

test('what is no UTF-8, too large or unreadable is refused before Brume is asked', async (t) => {
  const { rules, file } = await shell(t);
  const path = file('a.yaml', '');
  writeFileSync(path, Buffer.from([0x6e, 0xff, 0xfe]));
  assert.match((await rules(`apply ${path}`)).stderr, /a\.yaml is not UTF-8/);
  writeFileSync(path, Buffer.alloc(16 * 1024 * 1024 + 1, 0x20));
  assert.match((await rules(`apply ${path}`)).stderr, /a\.yaml is larger than 16 MiB/);
  assert.match((await rules('apply /nonexistent/x.yaml')).stderr, /can't be read: ENOENT/);
});
