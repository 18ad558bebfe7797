import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalisedPath } from '../../../src/planes/hooks/request-path.ts';
import { LOGIN_SPELLINGS } from '../../support/login-spellings.ts';

test('every spelling of a path is one path', () => {
  const spellings: Record<string, string[]> = {
    '/': [
      '/',
      '//',
      '/.',
      '/./',
      '/..',
      '/a/..',
      '/?x',
      '/;a=b',
      'http://h',
      'https://h/',
      'HTTP://h?x',
      '/%2e%2E/',
    ],
    '/login': [
      ...LOGIN_SPELLINGS,
      '/x/../login',
      '/login#y',
      '/%2flogin',
      'http://h:1/login',
      '/a;x/..;y/login',
      '/%2e/login',
    ],
    '/a/b': ['/a/b', '/a//b', '/a%2Fb', '/A/./B', '/a/c/../b/', '/a;1/b;2'],
    '/m%c3%bcller': ['/M%C3%BCller', '/m%c3%bcller', '/m\u00c3\u00bcller'],
    '/%c3%a9': ['/%C3%89', '/%c3%a9', '/\u00c3\u0089'],
    '/a%e9': ['/A%E9', '/a\u00e9'],
    '/a%20b': ['/a b', '/a%20b', '/a%20B'],
    '/100%25': ['/100%25', '/100%'],
    '/%252e': ['/%252e', '/%252E'],
    "/-._~!$&'()*+,=:@": ["/-._~!$&'()*+,=:@", '/%2D%2E%5F%7E%21%24%26%27%28%29%2A%2B%2C%3D%3A%40'],
  };
  for (const [path, texts] of Object.entries(spellings)) {
    for (const text of texts) assert.equal(normalisedPath(text), path, text);
  }
});

test('what is no path is none', () => {
  for (const text of ['', 'login', '*', '?x', '#', 'ftp://h/a', ' /a', '\\a', './a'])
    assert.equal(normalisedPath(text), undefined, text);
});

test('bytes beyond ASCII that are no UTF-8 stay what they are', () => {
  assert.notEqual(normalisedPath('/%C9'), normalisedPath('/%E9'));
});

test('a long path keeps its beginning, fits an identifier and stays its own', () => {
  const long = `/${'a'.repeat(2000)}`;
  const short = normalisedPath(long) ?? '';
  assert.equal(short.length, 512);
  assert.match(short, /^\/a{446}#[0-9a-f]{64}$/);
  assert.notEqual(short, normalisedPath(`${long}b`));
  assert.equal(normalisedPath(`/${'a'.repeat(511)}`), `/${'a'.repeat(511)}`);
});

test('a normalised path is plain ASCII without controls, and normalises to itself', () => {
  const byte = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
  const text = fc.oneof(
    fc.string({ unit: byte, maxLength: 300 }),
    fc.webPath(),
    fc.stringMatching(/^[/.;%2eEfF?#a]{0,40}$/),
  );
  fc.assert(
    fc.property(text, (rest) => {
      const path = normalisedPath(`/${rest}`) ?? '';
      assert.match(path, /^\/[\x21-\x7e]*$/);
      if (!path.includes('#')) assert.equal(normalisedPath(path), path);
    }),
    { numRuns: 1000 },
  );
});
