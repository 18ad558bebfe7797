import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import type { Path } from './fault.ts';
import { type TextFault, YamlReader } from './yaml-reader.ts';

/** The value of a YAML text, and where its parts stand in it. */
export interface YamlValue {
  readonly value: unknown;
  readonly faults: readonly TextFault[];
  /** Not even the syntax is right: there is no value. */
  readonly isBroken: boolean;
  /** Where a part stands, or its name; where it isn't there, the nearest part around it. */
  offsetOf(path: Path, isOfName?: boolean): number;
  /** As it is written, if it is a plain word or number. */
  sourceOf(path: Path): string | undefined;
  lineOf(offset: number): { readonly line: number; readonly column: number };
}

/**
 * Reads one document of YAML 1.2 (core schema) as JSON: no tags of one's own, no key twice, aliases in
 * bounds. A number that isn't a whole one in plain digits, or that isn't exact, becomes NaN.
 */
export function parseYaml(text: string): YamlValue {
  const lines = new LineCounter();
  const lineOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const { document, faults } = composed(text, lines);
  const reader = new YamlReader((offset) => lineOf(offset).line);
  const root = document?.contents ?? null;
  const isBroken = faults.length > 0;
  const value = isBroken || root === null ? null : reader.read(root);
  return {
    value,
    isBroken,
    faults: [...faults, ...reader.faults],
    offsetOf: (path, isOfName = false) => reader.offsetOf(root, path, isOfName),
    sourceOf: (path) => reader.sourceOf(root, path),
    lineOf,
  };
}

interface Composed {
  readonly document: Document.Parsed | undefined;
  readonly faults: readonly TextFault[];
}

function composed(text: string, lines: LineCounter): Composed {
  try {
    const documents = parseAllDocuments(text, {
      version: '1.2',
      schema: 'core',
      // Found by the reader, with their places.
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
    });
    const [document, second] = documents;
    const faults = document === undefined ? [] : syntaxFaults(document);
    if (second === undefined) return { document, faults };
    const offset = second.contents?.range?.[0] ?? second.range[0];
    const another = { offset, text: 'a second document begins here; the file must be one document' };
    return { document, faults: [...faults, another] };
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    return { document: undefined, faults: [{ offset: 0, text: TOO_DEEP }] };
  }
}

const TOO_DEEP = 'the file is nested too deep to be read';

function syntaxFaults({ errors, warnings, directives }: Document.Parsed): TextFault[] {
  const byOffset = new Map<number, string>();
  for (const { code, message, pos } of [...errors, ...warnings]) {
    const text = code === 'TAG_RESOLVE_FAILED' ? 'this tag is not known; rules need none' : wordsOf(message);
    if (!byOffset.has(pos[0])) byOffset.set(pos[0], text);
  }
  const { explicit, version } = directives.yaml;
  if (explicit === true && version !== '1.2') {
    byOffset.set(0, `the file is read as YAML 1.2, not as ${version}: leave out %YAML`);
  }
  return [...byOffset].map(([offset, text]) => ({ offset, text }));
}

/** The parser's own words, as a part of a sentence. */
function wordsOf(message: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  return message.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase()).replace(/\.$/, '');
}
