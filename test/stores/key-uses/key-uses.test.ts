import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { KeyUses } from '../../../src/stores/key-uses/key-uses.ts';
import { NotedKeys } from '../../../src/stores/key-uses/noted-keys.ts';
import type { ApiKey } from '../../../src/tenancy/api-key.ts';
import { ManualTime } from '../../support/manual-time.ts';

const MINUTE_MS = 60_000;

describe('when keys were last used', () => {
  let time: ManualTime;
  let written: Map<string, number>[];
  let isAway: boolean;
  let uses: KeyUses;

  beforeEach(() => {
    time = new ManualTime();
    written = [];
    isAway = false;
    const noteUses = async (noted: ReadonlyMap<string, number>) => {
      if (isAway) throw new Error('away');
      written.push(new Map(noted));
    };
    uses = new KeyUses({ record: { noteUses }, clock: time, timers: time });
  });

  it('is written once a minute, the last use of each, and not at all where there was none', async () => {
    uses.note('a');
    await time.advance(1000);
    uses.note('a');
    uses.note('b');
    const atMs = time.nowMs();
    assert.deepEqual(written, []);
    await time.advance(MINUTE_MS - 1000);
    const both = new Map([
      ['a', atMs],
      ['b', atMs],
    ]);
    assert.deepEqual(written, [both]);
    await time.advance(5 * MINUTE_MS);
    assert.deepEqual(written, [both]);
  });

  it('waits while the record is away, and a later use goes before an earlier one', async () => {
    isAway = true;
    uses.note('a');
    uses.note('b');
    const earlyMs = time.nowMs();
    await time.advance(MINUTE_MS);
    uses.note('a');
    const lateMs = time.nowMs();
    isAway = false;
    await time.advance(MINUTE_MS);
    assert.deepEqual(written, [
      new Map([
        ['a', lateMs],
        ['b', earlyMs],
      ]),
    ]);
  });

  it('is written at the stop too, which does not fail if the record is away', async () => {
    uses.note('a');
    await uses.stop();
    assert.equal(written.length, 1);
    isAway = true;
    uses.note('a');
    await uses.stop();
    await time.advance(5 * MINUTE_MS);
    assert.equal(written.length, 1);
  });

  it('is noted of keys that are found, and of nothing else', async () => {
    const noted: string[] = [];
    const find = async (sha256: string) => (sha256 === 'known' ? ({ id: 'key_known' } as ApiKey) : undefined);
    const keys = new NotedKeys({ find }, { note: (id) => noted.push(id) });
    assert.equal((await keys.find('known'))?.id, 'key_known');
    assert.equal(await keys.find('unknown'), undefined);
    assert.deepEqual(noted, ['key_known']);
  });
});
