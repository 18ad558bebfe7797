import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CHECKS } from '../../src/operations/doctor/finding.ts';
import { fakeBrume } from '../cli/fake-brume.ts';
import { WELL_STATUS } from '../cli/well-status.ts';
import { codeBlocks, runbookFiles } from './markdown.ts';

const root = join(import.meta.dirname, '..', '..');

interface Enumeration {
  readonly enum: readonly string[];
}

interface StatusSchema {
  readonly properties: Readonly<
    Record<
      'configuration' | 'counters',
      { readonly properties: Readonly<Record<'kind' | 'state', Enumeration>> }
    >
  >;
}

/** Of the route that `brume status` asks, as the program describes it. */
const schema = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')).paths['/v1/status'].get
  .responses['200'].content['application/json'].schema as StatusSchema;
const { configuration, counters } = schema.properties;

const NOTHING_LOST = { mayEvict: false, slotsAway: [], losses: 0, fault: null };
const WELL = { ...WELL_STATUS, nodesElsewhere: [{ host: 'other', pid: 12 }] };

/** Whatever `brume status` may print, a line each, without the padding between name and value. */
async function statusLines(t: Parameters<typeof fakeBrume>[0]): Promise<Set<string>> {
  const lines = new Set<string>();
  for (const kind of configuration.properties.kind.enum) {
    for (const counterKind of counters.properties.kind.enum) {
      for (const state of new Set([
        ...configuration.properties.state.enum,
        ...counters.properties.state.enum,
      ])) {
        const isRedis = counterKind === 'redis';
        const circuit = isRedis ? { closed: 1, open: 0, halfOpen: 0 } : null;
        const topology = isRedis ? 'sentinel' : null;
        const lost = { ...NOTHING_LOST, losses: 2, slotsAway: ['0-5460'], mayEvict: true };
        const stores = {
          configuration: { kind, state },
          counters: { kind: counterKind, state, circuit, topology, ...lost },
        };
        const { run } = await fakeBrume(t, () => [200, { ...WELL, ...stores }]);
        const { stdout } = await run(['status']);
        for (const line of stdout.split('\n')) lines.add(line.replace(/\s{2,}/, ' '));
      }
    }
  }
  return lines;
}

describe('what the runbooks quote', () => {
  it('of brume status is what it prints', async (t) => {
    const lines = [...(await statusLines(t))];
    const rows = [
      ...new Set(lines.map((line) => /^(count elsewhere|counts lost|slots away|\w+) /.exec(line)?.[1])),
    ]
      .filter((row) => row !== undefined)
      .sort();
    deepEqual(rows, [
      'checkpoints',
      'circuit',
      'configuration',
      'count elsewhere',
      'counters',
      'counts lost',
      'nodes',
      'process',
      'since',
      'slots away',
      'snapshot',
      'status',
      'version',
      'warning',
    ]);
    const quote = new RegExp(`\`((?:${rows.join('|')}) [^\`]+)\``, 'g');
    let count = 0;
    for (const { file, text } of runbookFiles()) {
      for (const [, quoted = ''] of text.replace(/^```.*?^```$/gms, '').matchAll(quote)) {
        count++;
        ok(lines.some(likeness(quoted)), `${file}: ${quoted}`);
      }
    }
    ok(count >= 8, `only ${count} quotes were found`);
  });

  it('of brume doctor is a check and a state that it has', () => {
    for (const { file, text } of runbookFiles()) {
      for (const [, state = '', check = ''] of text.matchAll(
        /`brume doctor` (?:says `(\w+)`|no failure) for ([a-z-]+)/g,
      )) {
        ok(['', 'ok', 'warning', 'failure'].includes(state), `${file}: ${state}`);
        ok((CHECKS as readonly string[]).includes(check), `${file}: ${check}`);
      }
    }
  });

  it('as words of the log are in lines that Brume may write', () => {
    const source = globSync('src/{appliance,stores,planes}/**/*.ts', { cwd: root })
      .map((path) => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    for (const { file, text } of runbookFiles()) {
      for (const block of codeBlocks(text, 'sh')) {
        for (const [, quoted, bare] of block.matchAll(
          /journalctl -u 'brume\*' .*--grep (?:'([^']+)'|(\S+))/g,
        )) {
          const words = quoted ?? bare ?? '';
          if (words.startsWith('"level"')) continue;
          for (const word of words.split('|')) ok(source.includes(word), `${file}: ${word}`);
        }
      }
    }
  });
});

/** Of a quote with `…` in it: whether a line has the rest. */
function likeness(quoted: string): (line: string) => boolean {
  const parts = quoted.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  return (line) => pattern.test(line);
}
