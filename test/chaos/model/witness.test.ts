import { deepEqual, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Loss } from './ledger.ts';
import { Witness } from './witness.ts';

describe('the witness of the chaos suite', () => {
  it('lets a loss begin when the former master was last seen in step, however soon the new one is', async () => {
    let masters = 'former';
    let asked = 0;
    const losses: Loss[] = [];
    const rig = {
      masters: async () => masters,
      areReplicasInStep: async () => {
        asked++;
        return true;
      },
    };
    const witness = new Witness(rig, losses);
    await witness.start();
    while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const beforeMs = Date.now();
    masters = 'new';
    const begun = asked;
    await witness.look();
    await witness.stop();
    ok(asked > begun, 'it went on looking meanwhile');
    const [loss] = losses;
    ok(loss !== undefined && loss.fromMs <= beforeMs && loss.toMs >= beforeMs + 500);
    deepEqual(losses.length, 1);
  });

  it('knows of no loss where the masters stay', async () => {
    const losses: Loss[] = [];
    const rig = { masters: async () => 'same', areReplicasInStep: async () => true };
    const witness = new Witness(rig, losses);
    await witness.start();
    await witness.look();
    await witness.stop();
    deepEqual(losses, []);
  });
});
