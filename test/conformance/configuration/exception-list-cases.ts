import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EXCEPTION_KINDS } from '../../../src/policy/exceptions/rule-exception.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY, exceptionOf, ODD_MATCHES, RULE } from './samples.ts';
import type { Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };

/** In code points that UTF-16 units, locales and case would order otherwise. */
const ORDERED = [
  '',
  ' ',
  '-',
  '0',
  '10',
  '9',
  'A',
  'Z',
  '_',
  'a',
  'a b',
  'ab',
  'z',
  'é',
  'ﬀ',
  '\uFFFD',
  '😀',
  '🚀',
];

/** Lists of exceptions: order, pages, filters, candidates. */
export function exceptionListCases(stores: Opened): void {
  async function newNamespace(name: string) {
    const project = await stores().tenancy.createProject({ name }, ACTOR);
    return (await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR)).id;
  }

  it('lists are in the order of code points, then of kinds', async () => {
    const namespaceId = await newNamespace('ordered');
    const matches = ORDERED.map((text) => `x${text}`);
    const shuffled = [...matches]
      .reverse()
      .flatMap((match) => EXCEPTION_KINDS.map((kind) => exceptionOf(match, { kind })));
    await stores().exceptions.addExceptions(namespaceId, shuffled, ADD);
    const { items, next } = await stores().exceptions.listExceptions(namespaceId, { pageSize: 1000 });
    assert.deepEqual(
      items.map(({ match, kind }) => `${match} ${kind}`),
      matches.flatMap((match) => EXCEPTION_KINDS.map((kind) => `${match} ${kind}`)),
    );
    assert.equal(next, null);
  });

  it('pages of every size give each exception once', async () => {
    const namespaceId = await newNamespace('paged');
    const many = ODD_MATCHES.flatMap((match) => EXCEPTION_KINDS.map((kind) => exceptionOf(match, { kind })));
    await stores().exceptions.addExceptions(namespaceId, many, ADD);
    const whole = (await stores().exceptions.listExceptions(namespaceId, { pageSize: 1000 })).items;
    assert.equal(whole.length, many.length);
    for (const pageSize of [1, 2, 7, many.length - 1, many.length]) {
      const paged: unknown[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const query = after === undefined ? { pageSize } : { pageSize, after };
        const page = await stores().exceptions.listExceptions(namespaceId, query);
        assert.ok(page.items.length <= pageSize);
        paged.push(...page.items);
        after = page.next;
      }
      assert.deepEqual(paged, whole);
    }
  });

  it('a list is continued by nothing but what a page before gave', async () => {
    const namespaceId = await newNamespace('continued');
    for (const after of ['', 'x', 'W10', 'WyJhIiwibm9uZSJd', '☃']) {
      const list = stores().exceptions.listExceptions(namespaceId, { pageSize: 1, after });
      await assert.rejects(list, brumeError('bad_request', 'after'));
    }
  });

  it('lists are narrowed by kind, match and id', async () => {
    const namespaceId = await newNamespace('narrowed');
    const many = ['a', 'b'].flatMap((match) => EXCEPTION_KINDS.map((kind) => exceptionOf(match, { kind })));
    await stores().exceptions.addExceptions(namespaceId, many, ADD);
    const listed = async (query: object) => {
      const { items } = await stores().exceptions.listExceptions(namespaceId, { ...query, pageSize: 100 });
      return items.map(({ match, kind }) => `${match} ${kind}`);
    };
    assert.deepEqual(await listed({ kind: 'exemption' }), ['a exemption', 'b exemption']);
    assert.deepEqual(await listed({ match: 'b' }), ['b block', 'b exemption', 'b override']);
    assert.deepEqual(await listed({ match: 'b', kind: 'override' }), ['b override']);
    const { items } = await stores().exceptions.listExceptions(namespaceId, { pageSize: 100 });
    for (const { id, match, kind } of items) assert.deepEqual(await listed({ id }), [`${match} ${kind}`]);
    assert.deepEqual(await listed({ id: 'ex_none' }), []);
    assert.deepEqual(await listed({ id: items[0]?.id, match: 'b' }), []);
  });

  it('an exception of another namespace is in no list of this one', async () => {
    const one = await newNamespace('own');
    const two = await newNamespace('foreign');
    const { value } = await stores().exceptions.addException(two, exceptionOf('a'), ADD);
    assert.deepEqual(
      (await stores().exceptions.listExceptions(one, { id: value.id, pageSize: 9 })).items,
      [],
    );
    assert.deepEqual(await stores().exceptions.findCandidates(one, ['a']), []);
    await assert.rejects(
      stores().exceptions.removeException(one, value, BY),
      brumeError('unknown_exception'),
    );
  });

  it('candidates are those with one of the matches, and every pattern, also the expired', async () => {
    const namespaceId = await newNamespace('candidates');
    const soon = stores().clock.nowMs() + 1;
    const many = [
      ...ODD_MATCHES.map((match) => exceptionOf(match)),
      exceptionOf('10.0.0.0/8', { form: 'cidr', kind: 'exemption' }),
      exceptionOf('old', { expiresAtMs: soon }),
      exceptionOf('a*', { form: 'pattern' }),
      exceptionOf('b*', { form: 'pattern', expiresAtMs: soon }),
    ];
    await stores().exceptions.addExceptions(namespaceId, many, ADD);
    stores().clock.advance(1);
    const wanted = ['10.0.0.0/8', 'old', 'a*', 'none', ...ODD_MATCHES.slice(0, 3)];
    const found = await stores().exceptions.findCandidates(namespaceId, wanted);
    const expected = ['10.0.0.0/8', 'old', 'a*', 'b*', ...ODD_MATCHES.slice(0, 3)];
    assert.deepEqual(found.map(({ match }) => match).sort(), expected.sort());
    const others = Array.from({ length: 300 }, (_, n) => `user-${n}`);
    const patterns = await stores().exceptions.findCandidates(namespaceId, others);
    assert.deepEqual(patterns.map(({ match }) => match).sort(), ['a*', 'b*']);
  });
}
