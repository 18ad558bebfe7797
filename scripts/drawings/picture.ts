import { COLUMNS_PER_WINDOW, type Drawn, judged, STREAMS, WINDOWS } from './requests.ts';
import type { Subject } from './subjects.ts';

const CELL = 18;
const LEFT = 16;
const ROWS = 7;
const PANEL_HEIGHT = ROWS * CELL + 62;
const HEAD_HEIGHT = 52;
const WIDTH = LEFT * 2 + WINDOWS * COLUMNS_PER_WINDOW * CELL;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .heading { font-weight: 600; font-size: 15px }
  .axis { stroke: #888 }
  .edge { stroke: #bbb; stroke-dasharray: 3 3 }
  .admitted { fill: #1d7a5f }
  .denied { fill: none; stroke: #b4461f; stroke-width: 1.5 }`;

/** An algorithm as SVG: what it does with each stream of requests, one dot a request, a column a moment. */
export async function picture(subject: Subject): Promise<string> {
  const panels = [];
  for (const [index, stream] of STREAMS.entries()) {
    const top = HEAD_HEIGHT + index * PANEL_HEIGHT;
    panels.push(panel(stream.title, await judged(subject, stream), subject, top));
  }
  const height = HEAD_HEIGHT + STREAMS.length * PANEL_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${subject.heading}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text class="heading" x="${LEFT}" y="24">${subject.heading}</text>`,
    ...legend(),
    ...panels.flat(),
    '</svg>\n',
  ].join('\n');
}

function legend(): string[] {
  return [
    `<circle class="admitted" cx="${LEFT + 5}" cy="40" r="5"/><text x="${LEFT + 16}" y="44">passes</text>`,
    `<circle class="denied" cx="${LEFT + 85}" cy="40" r="4.5"/><text x="${LEFT + 96}" y="44">denied</text>`,
  ];
}

function panel(title: string, requests: readonly Drawn[], subject: Subject, top: number): string[] {
  const bottom = top + 24 + ROWS * CELL;
  const lines = [`<text x="${LEFT}" y="${top + 16}">${title}</text>`];
  for (let window = 0; window <= WINDOWS; window++) {
    const x = LEFT + window * COLUMNS_PER_WINDOW * CELL;
    lines.push(`<line class="edge" x1="${x}" y1="${top + 24}" x2="${x}" y2="${bottom}"/>`);
    const anchor = window === 0 ? 'start' : window === WINDOWS ? 'end' : 'middle';
    lines.push(`<text x="${x}" y="${bottom + 18}" text-anchor="${anchor}">${subject.label(window)}</text>`);
  }
  lines.push(`<line class="axis" x1="${LEFT}" y1="${bottom}" x2="${WIDTH - LEFT}" y2="${bottom}"/>`);
  return [...lines, ...dots(requests, bottom)];
}

/** Those that pass stand below those that are denied. */
function dots(requests: readonly Drawn[], bottom: number): string[] {
  const heights = new Map<number, number>();
  return [true, false].flatMap((admitted) =>
    requests
      .filter((request) => request.admitted === admitted)
      .map(({ column }) => {
        const row = heights.get(column) ?? 0;
        heights.set(column, row + 1);
        const [x, y] = [LEFT + (column + 0.5) * CELL, bottom - (row + 0.5) * CELL];
        const [kind, radius] = admitted ? ['admitted', 5] : ['denied', 4.5];
        return `<circle class="${kind}" cx="${x}" cy="${y}" r="${radius}"/>`;
      }),
  );
}
