import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Election,
  electedMaster,
  UNVOUCHED,
} from '../../../../src/stores/redis/sentinel/elected-master.ts';

/** As `A1`: a Sentinel that names the master A, of the epoch 1. */
type View = `${'A' | 'B'}${number}`;

interface Row {
  readonly it: string;
  /** As `A 1 seen 2`; null: nothing was ever said. */
  readonly before: string | null;
  readonly known: number;
  readonly views: readonly View[];
  readonly elected: string | null;
}

const ROWS: readonly Row[] = [
  { it: 'nothing was ever said', before: null, known: 3, views: [], elected: null },
  { it: 'the first word of most', before: null, known: 3, views: ['A1', 'A1'], elected: 'A 1 seen 1' },
  { it: 'the first word of one', before: null, known: 3, views: ['A1'], elected: `A ${UNVOUCHED} seen 1` },
  {
    it: 'at first the later failover, however few tell of it',
    before: null,
    known: 3,
    views: ['A1', 'A1', 'B2'],
    elected: `B ${UNVOUCHED} seen 2`,
  },
  {
    it: 'at first, of one failover, what most name',
    before: null,
    known: 4,
    views: ['B0', 'A0', 'A0', 'A0'],
    elected: 'A 0 seen 0',
  },
  {
    it: 'one of four with an older epoch',
    before: 'A 1 seen 1',
    known: 4,
    views: ['B0'],
    elected: 'A 1 seen 1',
  },
  {
    it: 'most of them with an older epoch',
    before: 'A 2 seen 2',
    known: 3,
    views: ['B1', 'B1', 'B1'],
    elected: 'A 2 seen 2',
  },
  {
    it: 'one of four with the same epoch',
    before: 'A 0 seen 0',
    known: 4,
    views: ['B0'],
    elected: 'A 0 seen 0',
  },
  {
    it: 'half of them with the same epoch',
    before: 'A 1 seen 1',
    known: 4,
    views: ['B1', 'B1'],
    elected: 'A 1 seen 1',
  },
  {
    it: 'most of them with the same epoch',
    before: 'A 1 seen 1',
    known: 3,
    views: ['B1', 'B1', 'A1'],
    elected: 'B 1 seen 1',
  },
  { it: 'one with a higher epoch', before: 'A 1 seen 1', known: 3, views: ['B2'], elected: 'B 2 seen 2' },
  {
    it: 'one with a higher epoch, against the others',
    before: 'A 1 seen 1',
    known: 3,
    views: ['A1', 'A1', 'B2'],
    elected: 'B 2 seen 2',
  },
  {
    it: 'the leader of a failover, who has the new epoch and still the former master',
    before: 'A 1 seen 1',
    known: 3,
    views: ['A2', 'A1', 'A1'],
    elected: 'A 1 seen 2',
  },
  {
    it: 'the leader, and one that has heard of the new master',
    before: 'A 1 seen 2',
    known: 3,
    views: ['A2', 'B2', 'A1'],
    elected: 'B 2 seen 2',
  },
  {
    it: 'the leader alone, when it is done',
    before: 'A 1 seen 2',
    known: 3,
    views: ['B2'],
    elected: 'B 2 seen 2',
  },
  {
    it: 'the leader alone, met in the middle of its failover',
    before: `A ${UNVOUCHED} seen 2`,
    known: 3,
    views: ['B2'],
    elected: 'B 2 seen 2',
  },
  {
    it: 'after a first word of one, as many for another',
    before: `A ${UNVOUCHED} seen 0`,
    known: 4,
    views: ['A0', 'B0'],
    elected: `A ${UNVOUCHED} seen 0`,
  },
  {
    it: 'a failover there and back that was missed',
    before: 'A 1 seen 1',
    known: 3,
    views: ['A3', 'A3', 'B2'],
    elected: 'A 3 seen 3',
  },
  {
    it: 'an epoch that only one Sentinel has told of is not forgotten',
    before: 'A 1 seen 3',
    known: 3,
    views: ['B2'],
    elected: 'A 1 seen 3',
  },
  { it: 'nobody answers', before: 'A 1 seen 1', known: 3, views: [], elected: 'A 1 seen 1' },
];

const PORTS = { A: 1, B: 2 } as const;
const masterOf = (text: string) => ({ host: 'redis', port: PORTS[text[0] as 'A' | 'B'] });

function electionOf(text: string): Election {
  const [, epoch, , epochSeen] = text.split(' ');
  return { master: masterOf(text), epoch: Number(epoch), epochSeen: Number(epochSeen) };
}

describe('the master that is believed', () => {
  for (const { it: name, before, known, views, elected } of ROWS) {
    it(`${name}: before ${before ?? 'none'}, ${views.join(' ') || 'no answer'} of ${known}: ${elected ?? 'none'}`, () => {
      const seen = views.map((view) => ({
        master: masterOf(view),
        epoch: Number(view.slice(1)),
        others: [],
      }));
      const found = electedMaster(seen, known, before === null ? undefined : electionOf(before));
      assert.deepEqual(found, elected === null ? undefined : electionOf(elected));
    });
  }
});
