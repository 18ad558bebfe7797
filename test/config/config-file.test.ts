import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseConfigFile } from '../../src/config/config-file.ts';

function textsOf(content: string): Record<string, string> {
  const { settings, faults } = parseConfigFile(content, 'brume.conf');
  assert.deepEqual(faults, []);
  return Object.fromEntries(settings.map(({ variable, text }) => [variable, text]));
}

test('blank lines and comments are skipped, and blanks around key and value dropped', () => {
  assert.deepEqual(textsOf('# head\n\n  A=1\n\t B \t=\t 2 \t\n  # A=3\n'), { A: '1', B: '2' });
});

test('a comment begins after a blank; without one # belongs to the value', () => {
  assert.deepEqual(textsOf('A=1 # one\nB=x#y\nC=#\nD= # nothing'), { A: '1', B: 'x#y', C: '#', D: '' });
});

test('in quotes nothing is special', () => {
  const lines = [`A="a # b"`, `B='say "hi"' # comment`, `C="it's"`, 'D=""', `E=' $HOME \\n '`, 'F=a"b'];
  assert.deepEqual(textsOf(lines.join('\n')), {
    A: 'a # b',
    B: 'say "hi"',
    C: "it's",
    D: '',
    E: ' $HOME \\n ',
    F: 'a"b',
  });
});

test('a value may contain =, and lines may end as on Windows', () => {
  assert.deepEqual(textsOf('A=x=y=z\r\nB=2\r\n'), { A: 'x=y=z', B: '2' });
});

test('a byte order mark at the start is no part of the first key', () => {
  assert.deepEqual(textsOf('A=1'), textsOf(new TextDecoder().decode(Buffer.from('\ufeffA=1'))));
});

describe('a fault has its line number, and never the line itself', () => {
  const cases: Record<string, [content: string, where: string, problem: RegExp]> = {
    'no =': ['A=1\nhunter2', 'brume.conf, line 2', /not KEY=value/],
    'a section': ['[hunter2]', 'brume.conf, line 1', /not KEY=value/],
    export: ['export A=hunter2', 'brume.conf, line 1', /not KEY=value/],
    'a URL as key': ['postgres://u:hunter2@h/d?x=1', 'brume.conf, line 1', /not KEY=value/],
    'an open quote': ['\n\nA="hunter2', 'brume.conf, line 3', /quote is not closed/],
    'text after a quote': [`A="x" hunter2`, 'brume.conf, line 1', /follows the closing quote/],
    'a comment without a blank': [`A="x"#hunter2`, 'brume.conf, line 1', /follows the closing quote/],
    'a control character': ['A=hunter2\u0000', 'brume.conf, line 1', /control characters/],
    'a duplicate': ['A=1\nB=2\nA=hunter2', 'brume.conf, line 3', /already in line 1/],
  };
  for (const [name, [content, where, problem]] of Object.entries(cases)) {
    test(name, () => {
      const { faults } = parseConfigFile(content, 'brume.conf');
      assert.equal(faults.length, 1);
      assert.equal(faults[0]?.where, where);
      assert.match(faults[0]?.problem ?? '', problem);
      assert.ok(!JSON.stringify(faults).includes('hunter2'));
    });
  }
});
