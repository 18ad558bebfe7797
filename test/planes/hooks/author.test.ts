import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorOf } from '../../../src/planes/hooks/author.ts';

test('an author is what the caller says, as local:NAME', () => {
  assert.equal(authorOf('anna'), 'local:anna');
  assert.equal(authorOf('anna.b-c_d@host1'), 'local:anna.b-c_d@host1');
});

test('without a name the author is unknown', () => {
  assert.equal(authorOf(undefined), 'local:unknown');
  assert.equal(authorOf(''), 'local:unknown');
});

test('a name can neither forge a field nor grow: other characters become _ and 64 are kept', () => {
  assert.equal(authorOf('root" , "status":200'), 'local:root_____status__200');
  assert.equal(authorOf('a\r\nb'), 'local:a__b');
  assert.equal(authorOf('Müller'), 'local:M_ller');
  assert.equal(authorOf('a'.repeat(1000)), `local:${'a'.repeat(64)}`);
  assert.equal(authorOf('oidc:anna'), 'local:oidc_anna');
});
