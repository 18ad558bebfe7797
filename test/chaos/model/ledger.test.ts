import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger, type Loss } from './ledger.ts';

const LIMIT = 10;

function ledgerOf(losses: readonly Loss[] = []): Ledger {
  return new Ledger(LIMIT, losses);
}

function use(atMs: number, least: number, most = least) {
  return { sentMs: atMs, receivedMs: atMs + 1, least, most };
}

describe('the ledger of the chaos suite', () => {
  it('adds up what was surely and what was possibly used', () => {
    const ledger = ledgerOf();
    ledger.add(use(100, 3));
    ledger.add(use(200, 0, 2));
    deepEqual([ledger.least(300), ledger.most(300)], [3, 5]);
    deepEqual([ledger.least(50), ledger.most(50)], [0, 0]);
  });

  it('goes by what the store said where nobody was asking', () => {
    const ledger = ledgerOf();
    ledger.add(use(100, 3));
    ledger.add(use(200, 0, 2));
    ledger.mark(300, LIMIT - 4);
    ledger.add(use(400, 1));
    deepEqual([ledger.least(500), ledger.most(500)], [5, 5]);
  });

  it('takes off the least whatever a new master may not have received, and nothing else', () => {
    const ledger = ledgerOf([{ fromMs: 200, toMs: 300, everything: false }]);
    ledger.add(use(100, 3));
    ledger.add(use(250, 4));
    ledger.add(use(350, 1));
    deepEqual([ledger.least(400), ledger.most(400)], [4, 8]);
  });

  it('believes what the store said during a loss no more after it', () => {
    const ledger = ledgerOf([{ fromMs: 200, toMs: 300, everything: false }]);
    ledger.add(use(100, 3));
    ledger.add(use(210, 4));
    ledger.mark(250, LIMIT - 7);
    equal(ledger.least(400), 3);
    ledger.mark(350, LIMIT - 7);
    equal(ledger.least(400), 7);
  });

  it('knows of nothing after a flush, also where a failover came before or after it', () => {
    for (const losses of [
      [{ fromMs: 200, toMs: 300, everything: true }],
      [
        { fromMs: 210, toMs: 290, everything: true },
        { fromMs: 150, toMs: 300, everything: false },
      ],
      [
        { fromMs: 150, toMs: 260, everything: false },
        { fromMs: 210, toMs: 300, everything: true },
      ],
    ]) {
      const ledger = ledgerOf(losses);
      ledger.add(use(100, 3));
      ledger.add(use(350, 2));
      deepEqual([ledger.least(400), ledger.most(400)], [2, 5]);
    }
  });

  it('counts what was given back during a loss as given back', () => {
    const ledger = ledgerOf([{ fromMs: 200, toMs: 300, everything: false }]);
    ledger.add(use(100, 4));
    ledger.add(use(250, -3, 1));
    equal(ledger.least(400), 1);
  });

  it('takes what a batch may hold for a moment for gone some seconds later', () => {
    const ledger = ledgerOf();
    ledger.add(use(100, 2));
    ledger.add({ ...use(150, 0, 1), isBrief: true });
    ledger.mark(300, LIMIT - 3);
    deepEqual([ledger.least(9000), ledger.most(9000)], [2, 3]);
  });

  it('knows of what was checkpointed once that is given back', () => {
    const losses = [{ fromMs: 2000, toMs: 2100, everything: true }];
    const ledger = new Ledger(LIMIT, losses, { writtenWithinMs: 500, restoredWithinMs: 1000 });
    ledger.add(use(100, 3));
    ledger.add(use(1800, 2));
    ledger.add(use(2500, 1));
    ledger.add(use(3500, 1));
    deepEqual([ledger.least(3000), ledger.least(4000)], [1, 4]);
  });
});
