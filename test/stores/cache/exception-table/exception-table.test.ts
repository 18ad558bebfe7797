import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMatch } from '../../../../src/policy/exceptions/match.ts';
import { matchingExceptions } from '../../../../src/policy/exceptions/precedence.ts';
import { EXCEPTION_KINDS, type ExceptionKind } from '../../../../src/policy/exceptions/rule-exception.ts';
import type { NamespaceKind } from '../../../../src/policy/names.ts';
import type { ExceptionRow } from '../../../../src/stores/cache/exception-rows.ts';
import { ExceptionTable } from '../../../../src/stores/cache/exception-table/exception-table.ts';

const NOW_MS = 1_800_000_000_000;

function row(kind: ExceptionKind, match: string, said: Partial<ExceptionRow> = {}): ExceptionRow {
  const isAddress = /^[0-9a-f.:]+(\/\d+)?$/.test(match) && /[.:]/.test(match);
  return {
    namespaceId: 'ns_1',
    kind,
    ...parseMatch(isAddress ? 'ip' : 'text', match),
    limitsText: kind === 'override' ? '[{"limit":5}]' : null,
    createdAtMs: NOW_MS - 1000,
    expiresAtMs: null,
    ...said,
  };
}

function tableOf(...rows: readonly ExceptionRow[]): ExceptionTable {
  const table = new ExceptionTable();
  for (const each of rows) table.upsert(each);
  return table;
}

function kindFound(table: ExceptionTable, kind: NamespaceKind, subject: string, nowMs = NOW_MS): string {
  return table.find('ns_1', kind, subject, nowMs)?.kind ?? 'none';
}

describe('the table of exceptions', () => {
  it('finds what was said of an identifier, with its end and its limits, and nothing elsewhere', () => {
    const table = tableOf(row('override', 'bob', { expiresAtMs: NOW_MS + 5 }), row('block', '用户🙂'));
    assert.deepEqual(table.find('ns_1', 'text', 'bob', NOW_MS), {
      kind: 'override',
      untilMs: NOW_MS + 5,
      limitsText: '[{"limit":5}]',
    });
    assert.deepEqual(table.find('ns_1', 'text', '用户🙂', NOW_MS), {
      kind: 'block',
      untilMs: Number.POSITIVE_INFINITY,
      limitsText: null,
    });
    for (const subject of ['bo', 'bobb', 'Bob', '', 'x'.repeat(2000)]) {
      assert.equal(kindFound(table, 'text', subject), 'none');
    }
    assert.equal(table.find('ns_2', 'text', 'bob', NOW_MS), undefined);
  });

  it('B14: a block without end has no end, whatever time it is', () => {
    const table = tableOf(row('block', 'bob'));
    for (const nowMs of [0, NOW_MS, Number.MAX_SAFE_INTEGER]) {
      assert.equal(table.find('ns_1', 'text', 'bob', nowMs)?.untilMs, Number.POSITIVE_INFINITY);
    }
    table.remove({ namespaceId: 'ns_1', kind: 'block', match: 'bob' });
    assert.equal(kindFound(table, 'text', 'bob'), 'none');
  });

  it('B41: an allow list of addresses allows those addresses, and makes nobody the same', () => {
    const table = tableOf(row('exemption', '10.0.0.0/8'), row('exemption', '2001:db8::/32'));
    for (const subject of ['', '   ', '10.', '::', '203.0.113.7', '2001:db9::1', 'unknown', '/128']) {
      assert.equal(kindFound(table, 'ip', subject), 'none', subject);
    }
    for (const subject of ['10.1.2.3', '2001:db8::7'])
      assert.equal(kindFound(table, 'ip', subject), 'exemption');
  });

  it('puts exact before pattern, then block, exemption, override', () => {
    const table = tableOf(row('override', 'user-1'), row('block', 'user-*'));
    assert.equal(kindFound(table, 'text', 'user-1'), 'override');
    assert.equal(kindFound(table, 'text', 'user-2'), 'block');
    table.upsert(row('exemption', 'user-1'));
    assert.equal(kindFound(table, 'text', 'user-1'), 'exemption');
    table.upsert(row('block', 'user-1'));
    assert.equal(kindFound(table, 'text', 'user-1'), 'block');
  });

  it('lets the longest prefix win, on the full address', () => {
    const table = tableOf(
      row('block', '0.0.0.0/0'),
      row('exemption', '198.51.100.0/24'),
      row('block', '198.51.100.128/25'),
      row('override', '198.51.100.200'),
      row('block', '2001:db8::/32'),
      row('exemption', '2001:db8:1:2:3::/80'),
      row('override', '2001:db8:1:2:3::4'),
    );
    const found = {
      '203.0.113.7': 'block',
      '198.51.100.7': 'exemption',
      '198.51.100.129': 'block',
      '198.51.100.200': 'override',
      '2001:db8::1': 'block',
      '2001:db8:1:2:3::5': 'exemption',
      '2001:db8:1:2:3::4': 'override',
      '2001:db8:1:2:3::4/128': 'override',
      '2001:db8:1:2:4::4': 'block',
      '2001:db9::': 'none',
    };
    for (const [subject, kind] of Object.entries(found))
      assert.equal(kindFound(table, 'ip', subject), kind, subject);
  });

  it('lets the pattern with the most literal characters win; among equals the kind, then the oldest', () => {
    const table = tableOf(
      row('block', '*'),
      row('exemption', 'api-*'),
      row('block', '*-bot'),
      row('override', 'api-*-bot', { createdAtMs: 2, limitsText: 'younger' }),
      row('override', 'a*pi--bot', { createdAtMs: 1, limitsText: 'older' }),
    );
    const found = { x: 'block', 'api-1': 'exemption', 'api-bot': 'block', 'api-x-bot': 'override' };
    for (const [subject, kind] of Object.entries(found))
      assert.equal(kindFound(table, 'text', subject), kind);
    assert.equal(table.find('ns_1', 'text', 'api--bot', NOW_MS)?.limitsText, 'older');
  });

  it('passes over what has expired, and lets the next best decide; in force while now is before the end', () => {
    const table = tableOf(
      row('block', 'user-1', { expiresAtMs: NOW_MS }),
      row('exemption', 'user-1', { expiresAtMs: NOW_MS + 1 }),
      row('override', 'user-*'),
      row('block', '192.0.2.0/25', { expiresAtMs: NOW_MS }),
      row('exemption', '192.0.2.0/24'),
    );
    assert.equal(kindFound(table, 'text', 'user-1', NOW_MS - 1), 'block');
    assert.equal(kindFound(table, 'text', 'user-1', NOW_MS), 'exemption');
    assert.equal(kindFound(table, 'text', 'user-1', NOW_MS + 1), 'override');
    assert.equal(kindFound(table, 'ip', '192.0.2.1', NOW_MS - 1), 'block');
    assert.equal(kindFound(table, 'ip', '192.0.2.1', NOW_MS), 'exemption');
  });

  it('takes text for text in a namespace of kind text, and addresses for addresses in one of kind ip', () => {
    const table = tableOf(row('block', '10.0.0.0/8'), row('exemption', '1*'), row('override', 'a\\*b'));
    assert.equal(kindFound(table, 'text', '10.1.2.3'), 'exemption');
    assert.equal(kindFound(table, 'ip', '10.1.2.3'), 'block');
    assert.equal(kindFound(table, 'ip', '11.1.2.3'), 'none');
    assert.equal(kindFound(table, 'text', 'a*b'), 'override');
    assert.equal(kindFound(table, 'text', 'axb'), 'none');
  });

  it('keeps one entry for each match and kind, also when its form changes with the kind of the namespace', () => {
    const asText = { ...row('block', 'x'), form: 'exact', match: '10.0.0.0/8' } as const;
    const table = tableOf(asText, { ...asText, form: 'cidr' });
    assert.equal(table.count, 1);
    assert.equal(kindFound(table, 'text', '10.0.0.0/8'), 'none');
    assert.equal(kindFound(table, 'ip', '10.1.2.3'), 'block');
    table.upsert(asText);
    assert.equal(table.count, 1);
    assert.equal(kindFound(table, 'ip', '10.1.2.3'), 'none');
    table.remove(asText);
    assert.equal(table.count, 0);
  });

  it('takes a pattern for another thing than the text without its stars', () => {
    const table = tableOf(row('block', 'ab'), row('block', 'a*b'));
    table.remove(row('block', 'a*b'));
    assert.equal(kindFound(table, 'text', 'ab'), 'block');
    assert.equal(kindFound(table, 'text', 'axb'), 'none');
  });

  it('keeps nothing that it could not read, and does not throw', () => {
    const table = tableOf(
      row('block', 'x', { form: 'cidr' }),
      row('block', 'x', { form: 'cidr', match: '10.0.0.0/99' }),
      row('block', 'x', { match: 'y'.repeat(5000) }),
      row('block', 'x', { match: '' }),
      row('block', 'x', { match: 'a*b' }),
    );
    assert.equal(table.count, 0);
    assert.deepEqual([...table.rows()], []);
  });

  it('goes on giving rows while it changes: what is there all the time comes once', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => row('block', `user-${index}`));
    const table = tableOf(...rows, row('override', '10.0.0.0/8'), row('exemption', '*x'));
    const seen = new Map<string, number>();
    let step = 0;
    for (const { match } of table.rows()) {
      seen.set(match, (seen.get(match) ?? 0) + 1);
      for (let more = 0; more < 3; more++) table.upsert(row('block', `other-${step * 3 + more}`));
      table.remove(row('block', `user-${10_000 + (step++ % 10_000)}`));
    }
    for (let index = 0; index < 10_000; index++) assert.equal(seen.get(`user-${index}`), 1);
    assert.equal(seen.get('10.0.0.0/8'), 1);
    assert.equal(seen.get('*x'), 1);
    assert.ok([...seen.values()].every((times) => times === 1));
  });

  it('gives room back: what was removed leaves little behind, a dropped namespace nothing', () => {
    const rows = Array.from({ length: 30_000 }, (_, index) =>
      row('override', `some-identifier-${index}`, {
        limitsText: `[{"limit":${index}}]`,
        expiresAtMs: NOW_MS,
      }),
    );
    const table = tableOf(...rows);
    const full = table.bytes;
    for (let round = 0; round < 5; round++) for (const each of rows) table.upsert(each);
    assert.ok(table.bytes < full * 1.5, `${table.bytes} bytes after rewriting, ${full} before`);
    for (const each of rows.slice(1)) table.remove(each);
    assert.equal(table.count, 1);
    assert.ok(table.bytes < full / 20, `${table.bytes} bytes after removal, ${full} before`);
    table.dropNamespace('ns_1');
    assert.deepEqual([table.count, table.bytes], [0, 0]);
  });

  const kind = fc.constantFrom(...EXCEPTION_KINDS);
  const end = fc.option(fc.integer({ min: NOW_MS - 2, max: NOW_MS + 2 }));
  const createdAtMs = fc.integer({ min: 1, max: 3 });
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🙂', '*'), minLength: 1, maxLength: 5 });
  const byte = fc.constantFrom(0, 1, 128, 255);
  const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
  const ipv6 = fc
    .array(fc.constantFrom('0', '1', '8000', 'ffff'), { minLength: 8, maxLength: 8 })
    .filter((groups) => !/^(0,){5}ffff/.test(groups.join()))
    .map((groups) => groups.join(':'));
  const address = fc.oneof(ipv4, ipv6);
  const network = fc.tuple(address, fc.integer({ min: 0, max: 128 })).map(([text, bits]) => {
    const prefix = text.includes('.') ? bits % 33 : bits;
    try {
      return parseMatch('ip', `${text}/${prefix}`).match;
    } catch (error) {
      return /write (\S+),/.exec(String(error))?.[1] ?? assert.fail(String(error));
    }
  });

  function agreesWithReference(
    namespaceKind: NamespaceKind,
    matches: fc.Arbitrary<string>,
    subjects: fc.Arbitrary<string>,
  ): void {
    const said = fc.tuple(kind, matches, end, createdAtMs, fc.integer({ min: 1, max: 3 }));
    const change = fc.oneof(
      { weight: 4, arbitrary: said.map((put) => ({ put })) },
      { weight: 1, arbitrary: fc.tuple(kind, matches).map((remove) => ({ remove })) },
      { weight: 4, arbitrary: subjects.map((ask) => ({ ask })) },
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60, size: 'max' }), (changes) => {
        const table = new ExceptionTable();
        const model = new Map<string, ExceptionRow>();
        for (const each of changes) {
          if ('put' in each) {
            const [own, text, expiresAtMs, madeAtMs, number] = each.put;
            const put: ExceptionRow = {
              namespaceId: 'ns_1',
              kind: own,
              ...parseMatch(namespaceKind, text),
              limitsText: own === 'override' ? `[${number}]` : null,
              createdAtMs: madeAtMs,
              expiresAtMs,
            };
            table.upsert(put);
            model.set(`${own} ${put.match}`, put);
          } else if ('remove' in each) {
            const [own, text] = each.remove;
            const { match } = parseMatch(namespaceKind, text);
            table.remove({ namespaceId: 'ns_1', kind: own, match });
            model.delete(`${own} ${match}`);
          } else {
            const [best] = matchingExceptions([...model.values()], namespaceKind, each.ask, NOW_MS);
            assert.deepEqual(
              table.find('ns_1', namespaceKind, each.ask, NOW_MS),
              best && { kind: best.kind, untilMs: best.expiresAtMs ?? Infinity, limitsText: best.limitsText },
            );
          }
          assert.equal(table.count, model.size);
        }
        const byKey = (rows: Iterable<ExceptionRow>) =>
          [...rows].sort((a, b) => (`${a.kind} ${a.match}` < `${b.kind} ${b.match}` ? -1 : 1));
        assert.deepEqual(byKey(table.rows()), byKey(model.values()));
      }),
    );
  }

  it('agrees with a plain list on any history of texts and patterns', () => {
    agreesWithReference('text', word, word);
  });

  it('agrees with a plain list on any history of addresses and blocks', () => {
    const subject = address.map((text) => parseMatch('ip', text).match);
    agreesWithReference('ip', fc.oneof(address, network), subject);
  });

  it('agrees with a Map at a size where its parts are divided, emptied and filled again', () => {
    const table = new ExceptionTable();
    const model = new Map<string, ExceptionKind>();
    let random = 1;
    const next = (below: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((random / 2 ** 32) * below);
    };
    for (const share of [90, 20, 70]) {
      for (let step = 0; step < 40_000; step++) {
        const match = `identifier-${next(20_000)}`;
        if (next(100) < share) {
          for (const old of EXCEPTION_KINDS) table.remove({ namespaceId: 'ns_1', kind: old, match });
          const own = EXCEPTION_KINDS[next(3)] ?? 'block';
          table.upsert(row(own, match));
          model.set(match, own);
        } else {
          table.remove({ namespaceId: 'ns_1', kind: model.get(match) ?? 'block', match });
          model.delete(match);
        }
      }
      assert.equal(table.count, model.size);
      for (let index = 0; index < 20_000; index++) {
        const subject = `identifier-${index}`;
        assert.equal(kindFound(table, 'text', subject), model.get(subject) ?? 'none');
      }
    }
  });
});
