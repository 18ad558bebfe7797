import type { DrillReport } from './run-drill.ts';
import type { Slice } from './slices.ts';

const WIDTH = 960;
const HEIGHT = 260;
const LEFT = 48;
const BOTTOM = 40;
const TOP = 28;

/** From the bottom of a column up. */
const PARTS = [
  { of: 'counted', colour: '#4c9f70', words: 'counted' },
  { of: 'degraded', colour: '#e0a030', words: 'by the failure policy' },
  { of: 'lost', colour: '#c0392b', words: 'without a verdict' },
] as const;

/** An SVG: a column for each tenth of a second, and the time of the fault behind them. */
export function timelinePicture({ slices, faultAtMs, faultEndAtMs, drill }: DrillReport): string {
  const endMs = Math.max(1, (slices.at(-1)?.atMs ?? 0) + 100);
  const most = Math.max(1, ...slices.map(({ counted, degraded, lost }) => counted + degraded + lost));
  const x = (ms: number) => LEFT + (ms / endMs) * (WIDTH - LEFT - 8);
  const y = (count: number) => HEIGHT - BOTTOM - (count / most) * (HEIGHT - BOTTOM - TOP);
  const fault = `<rect x="${at(x(faultAtMs))}" y="${TOP}" width="${at(Math.max(2, x(faultEndAtMs) - x(faultAtMs)))}" height="${HEIGHT - BOTTOM - TOP}" fill="#dddddd"/>`;
  const seconds = Array.from({ length: Math.floor(endMs / 1000) + 1 }, (_, second) => second);
  const step = Math.ceil(seconds.length / 16);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${drill}: checks in each tenth of a second</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    fault,
    ...slices.flatMap((slice) => column(slice, x, y)),
    `<line x1="${LEFT}" y1="${at(y(0))}" x2="${WIDTH - 8}" y2="${at(y(0))}" stroke="#333333"/>`,
    `<text x="${LEFT - 6}" y="${at(y(0))}" text-anchor="end">0</text>`,
    `<text x="${LEFT - 6}" y="${at(y(most) + 4)}" text-anchor="end">${most}</text>`,
    ...seconds
      .filter((second) => second % step === 0)
      .map(
        (second) =>
          `<text x="${at(x(second * 1000))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${second} s</text>`,
      ),
    ...PARTS.map(
      ({ colour, words }, index) =>
        `<rect x="${LEFT + index * 200}" y="8" width="12" height="12" fill="${colour}"/><text x="${LEFT + 18 + index * 200}" y="18">${words}</text>`,
    ),
    `<rect x="${LEFT + 600}" y="8" width="12" height="12" fill="#dddddd"/><text x="${LEFT + 618}" y="18">the fault</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function column(slice: Slice, x: (ms: number) => number, y: (count: number) => number): string[] {
  const width = Math.max(0.5, x(100) - x(0) - 0.5);
  let below = 0;
  return PARTS.flatMap(({ of, colour }) => {
    const count = slice[of];
    if (count === 0) return [];
    const top = y(below + count);
    const bar = `<rect x="${at(x(slice.atMs))}" y="${at(top)}" width="${at(width)}" height="${at(y(below) - top)}" fill="${colour}"/>`;
    below += count;
    return [bar];
  });
}

function at(value: number): string {
  return value.toFixed(1);
}
