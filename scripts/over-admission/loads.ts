/** When somebody asks: a step of the clock, and which of two nodes. */
interface Offer {
  readonly step: number;
  readonly node: 0 | 1;
}

export const WINDOWS = 50;
export const STEPS_PER_WINDOW = 100;

export interface Load {
  readonly name: string;
  /** In the order of time. */
  offers(limit: number): Offer[];
}

/** So many times the limit, at random moments and from random nodes. */
function atRandom(times: number): Load {
  return {
    name: `${times} × limit`,
    offers(limit) {
      const random = randomOf(times * 1000);
      const count = Math.round(times * limit * WINDOWS);
      return sorted(
        Array.from({ length: count }, () => offerAt(random() * WINDOWS * STEPS_PER_WINDOW, random)),
      );
    },
  };
}

/**
 * The worst for whatever looks at whole windows: silence, the whole limit at once in a window's last
 * moment, and then a flood.
 */
const SAVED_UP: Load = {
  name: 'saved up',
  offers(limit) {
    const random = randomOf(7);
    const offers: Offer[] = [];
    for (let window = 1; window + 1 < WINDOWS; window += 3) {
      const end = (window + 1) * STEPS_PER_WINDOW;
      for (let count = 0; count < limit; count++) offers.push(offerAt(end - 1, random));
      for (let count = 0; count < limit * 10; count++) {
        offers.push(offerAt(end + random() * STEPS_PER_WINDOW, random));
      }
    }
    return sorted(offers);
  },
};

export const LOADS: readonly Load[] = [...[0.9, 1, 2, 10].map(atRandom), SAVED_UP];

function offerAt(step: number, random: () => number): Offer {
  return { step: Math.floor(step), node: random() < 0.5 ? 0 : 1 };
}

function sorted(offers: Offer[]): Offer[] {
  return offers.sort((a, b) => a.step - b.step);
}

/** Mulberry32: the same numbers at each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
