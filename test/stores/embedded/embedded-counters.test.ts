import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError, type LimitSet } from '../../../src/limiter/counters.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { freshKey, ManualClock, quotaOf, setOf } from '../../support/counter-engines.ts';

const TEN_SECONDS = setOf({ algorithm: 'fixed_window', limit: 2, windowMs: 10_000 });

/** Time as in life: both clocks move together. */
class LivingClock extends ManualClock {
  #monotonicMs = 0;

  override monotonicMs(): number {
    return this.#monotonicMs;
  }

  pass(byMs: number): void {
    this.advance(byMs);
    this.#monotonicMs += byMs;
  }
}

function table(identifiersMax: number) {
  const clock = new LivingClock();
  const counters = new EmbeddedCounters({ clock, identifiersMax });
  const check = (key: string, cost = 1, set: LimitSet = TEN_SECONDS) =>
    counters.check({ key, set, cost, peek: false });
  return { clock, counters, check };
}

describe('the embedded table of counters', () => {
  it('refuses a newcomer when full, and never forgets one who is known', async () => {
    const { counters, check } = table(3);
    const known = [freshKey(), freshKey(), freshKey()];
    for (const key of known) await check(key, 2);
    await assert.rejects(
      check(freshKey()),
      (error) => error instanceof CountersError && error.fault === 'full',
    );
    for (const key of known) assert.equal((await check(key)).admitted, false);
    assert.equal(counters.size, 3);
  });

  it('a newcomer who is denied anyhow is denied, also when full', async () => {
    const { check } = table(1);
    await check(freshKey());
    const never = setOf({ algorithm: 'fixed_window', limit: 0, windowMs: 10_000 });
    assert.equal((await check(freshKey(), 1, never)).admitted, false);
    assert.equal((await check(freshKey(), 0)).admitted, true, 'a cost of 0 needs no room');
  });

  it('makes room from those whose window is over', async () => {
    const { clock, counters, check } = table(3);
    for (let round = 0; round < 3; round++) await check(freshKey());
    clock.pass(10_000);
    assert.equal((await check(freshKey())).admitted, true);
    assert.ok(counters.size <= 3);
  });

  it('forgets who was counted without end, after a settlement under a rule that has an end', async () => {
    const { clock, counters, check } = table(1);
    const key = freshKey();
    const token = `${'t'.repeat(22)}:1000`;
    const set = setOf(quotaOf(5, 'never'));
    await counters.check({ key, set, cost: 1, peek: false, reservation: token });
    assert.ok(await counters.settle({ key, set: TEN_SECONDS, token, cost: 0 }));
    clock.pass(3_600_000);
    assert.equal((await check(freshKey())).admitted, true);
  });

  it('clears itself as it is used: a stream of newcomers does not grow it without bound', async () => {
    const { clock, counters, check } = table(100_000);
    for (let round = 0; round < 5000; round++) {
      await check(freshKey());
      clock.pass(100);
    }
    assert.ok(counters.size < 500, `${counters.size} held, 100 of them alive`);
  });

  it('a step of the wall clock forwards ends windows, backwards keeps what was used', async () => {
    const { clock, check } = table(10);
    const key = freshKey();
    await check(key, 2);
    clock.advance(-3_600_000);
    assert.equal((await check(key)).admitted, false);
    clock.advance(7_200_000);
    assert.equal((await check(key)).admitted, true);
  });
});
