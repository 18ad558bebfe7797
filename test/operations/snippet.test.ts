import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRONT_END_NAMES, FRONT_ENDS, type FrontEndName } from '../../src/operations/snippet/front-ends.ts';
import { snippet } from '../../src/operations/snippet/snippet.ts';
import { runWith } from '../cli/fake-terminal.ts';
import { runBrume } from '../support/brume-process.ts';

/** What a front end's files say, one after the other. */
function textOf(name: FrontEndName, ...options: Parameters<typeof snippet>[1][]): string {
  return snippet(name, Object.assign({}, ...options))
    .map(({ text }) => text)
    .join('\n');
}

test('what is asked for stands in the files, and nothing of the default beside it', () => {
  for (const name of FRONT_END_NAMES) {
    const listen = { host: '2001:db8::7', port: 8700 };
    const text = textOf(name, { namespace: 'log.in', listen });
    assert.match(text, /log\.in/, name);
    assert.match(text, /2001:db8::7/, name);
    assert.match(text, /\b8700\b/, name);
    assert.equal(/\b8600\b/.test(text), false, name);
    // Paths of the application, and Envoy's own types and versions, have nothing to do with namespaces.
    const rest = text.replaceAll(/\/api\/|googleapis\.com|transport_api_version/g, '');
    assert.equal(/api/i.test(rest), false, name);
  }
});

test('what a front end is told of the key and of a Brume that is down changes its files, where it can be told', () => {
  for (const name of FRONT_END_NAMES) {
    const asShipped = textOf(name);
    const canReadKey = 'keyFile' in FRONT_ENDS[name];
    const canPass = 'closed' in FRONT_ENDS[name];
    const keyed = () => textOf(name, { keyFile: '/root/a-key' });
    if (canReadKey) assert.match(keyed(), /\/root\/a-key/, name);
    else assert.throws(keyed, /reads no key from a file/);
    const open = () => textOf(name, { whenUnjudged: 'open' });
    if (canPass) assert.equal(open(), asShipped, name);
    else assert.throws(open, /lets no request pass/);
    assert.equal(textOf(name, { whenUnjudged: 'closed' }) === asShipped, !canPass, name);
  }
});

test('what the command writes to standard output is the file, byte for byte: Caddy’s is indented by tabs', async () => {
  for (const name of FRONT_END_NAMES) {
    for (const { file, text } of snippet(name, {})) {
      const printed = await runBrume({}, 'snippet', name, '--file', file);
      assert.deepEqual(printed, { exitCode: 0, stdout: `${text.trimEnd()}\n`, stderr: '' }, file);
    }
  }
});

test('brume snippet prints each file with its place, one as it is, or all as JSON', async () => {
  const all = await runWith(['snippet', 'nginx', '--namespace', 'login']);
  assert.equal(all.exitCode, 0);
  assert.match(all.stdout, /^==> \/etc\/nginx\/conf\.d\/brume-upstream\.conf <==\n/);
  assert.match(all.stdout, /\n==> \/etc\/nginx\/brume\.conf <==\n/);
  assert.match(all.stdout, /auth_request \/_brume\/login;/);

  const files = snippet('haproxy', { namespace: 'login' });
  const one = await runWith(['snippet', 'haproxy', '--namespace', 'login', '--file', 'brume.lua']);
  assert.equal(`${one.stdout}\n`, files.find(({ file }) => file === 'brume.lua')?.text);

  const json = await runWith(['snippet', 'haproxy', '--namespace', 'login', '--json']);
  assert.deepEqual(JSON.parse(json.stdout), { frontEnd: 'haproxy', files });
});

test('what the product or a front end would refuse is refused', async () => {
  for (const [args, exitCode] of [
    [['apache'], 2],
    [['nginx', '--namespace', 'Login'], 2],
    [['nginx', '--namespace', 'a b'], 2],
    [['nginx', '--namespace', 'a;return'], 2],
    [['nginx', '--namespace', ''], 2],
    [['nginx', '--namespace', `a\n`], 2],
    [['nginx', '--namespace', 'a'.repeat(65)], 2],
    [['nginx', '--listen', '8600'], 2],
    [['nginx', '--listen', 'off'], 2],
    [['nginx', '--listen', 'brume:8600'], 2],
    [['nginx', '--listen', '127.0.0.1:0'], 2],
    [['nginx', '--listen', '0.0.0.0:8600'], 2],
    [['nginx', '--listen', '[::]:8600'], 2],
    [['nginx', '--key-file', 'brume-key'], 2],
    [['nginx', '--key-file', '/etc/a;b'], 2],
    [['nginx', '--key-file', '/etc/a b'], 2],
    [['nginx', '--when-down', 'maybe'], 2],
    [['nginx', '--file', 'brume.lua'], 2],
    [['traefik', '--when-down', 'open'], 1],
    [['envoy', '--key-file', '/etc/key'], 1],
  ] as const) {
    const { exitCode: code, stdout, stderr } = await runWith(['snippet', ...args]);
    assert.deepEqual([code, stdout], [exitCode, ''], args.join(' '));
    assert.notEqual(stderr, '');
  }
});
