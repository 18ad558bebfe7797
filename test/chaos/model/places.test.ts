import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from './places.ts';

const granted = (atMs: number) => ({ sentMs: atMs, receivedMs: atMs + 5, expiresAtMs: atMs + 10_000 });

describe('the places that the chaos suite knows to be held', () => {
  it('counts those that were granted and not yet asked to be given back', () => {
    const places = new Places(2, []);
    places.granted('a', granted(100));
    places.granted('b', granted(200));
    places.releasing('a', 300);
    places.granted('c', granted(400));
    deepEqual([places.most(), places.held(250), places.held(350)], [2, 2, 1]);
  });

  it('counts none that the store may have forgotten', () => {
    const places = new Places(2, [{ fromMs: 150, toMs: 350, everything: false }]);
    places.granted('before', granted(100));
    places.granted('meanwhile', granted(200));
    equal(places.held(400), 1);
    const flushed = new Places(2, [{ fromMs: 150, toMs: 350, everything: true }]);
    flushed.granted('before', granted(100));
    equal(flushed.held(400), 0);
  });

  it('tells of a renewal that found nothing where a place was held', () => {
    const places = new Places(2, []);
    places.granted('a', granted(100));
    places.missed('a', 200, 210);
    deepEqual(places.wronglyMissed(), ['a']);
    places.releasing('a', 205);
    deepEqual(places.wronglyMissed(), []);
  });
});
