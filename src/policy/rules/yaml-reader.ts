import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { Path } from './fault.ts';

/** Nodes that aliases may stand for, all in all: more is no file that a person wrote. */
const ALIASED_NODES_MAX = 100_000;
/** The deepest that rules go is namespaces.login.quotas[0].anchor.time. */
const DEPTH_MAX = 16;
/** What a whole number looks like: YAML would also take 0x10, 0o17, 1e3, 010 and +5 for numbers. */
const PLAIN_INTEGER = /^-?(0|[1-9][0-9]*)$/;

/** A fault of the text itself, by its offset. */
export interface TextFault {
  readonly offset: number;
  /** A whole sentence without its full stop. */
  readonly text: string;
}

/** Makes JSON of a document's nodes, and knows afterwards where each part of it stands. */
export class YamlReader {
  /** By offset, so that what aliases repeat is told once. */
  readonly #faults = new Map<number, string>();
  readonly #anchors = new Map<string, unknown>();
  readonly #targets = new Map<unknown, unknown>();
  readonly #lineOf: (offset: number) => number;
  #aliased = 0;
  #aliasDepth = 0;

  constructor(lineOf: (offset: number) => number) {
    this.#lineOf = lineOf;
  }

  get faults(): TextFault[] {
    return [...this.#faults].map(([offset, text]) => ({ offset, text }));
  }

  read(node: unknown, depth = 0): unknown {
    if (this.#aliasDepth > 0 && ++this.#aliased > ALIASED_NODES_MAX) {
      return this.#fault(node, `aliases stand for more than ${ALIASED_NODES_MAX} values all in all`);
    }
    if (depth > DEPTH_MAX) return this.#fault(node, 'is nested deeper than any rule');
    if (isAlias(node)) return this.#readAlias(node, depth);
    const value = this.#readOwn(node, depth);
    // Only now, so that no alias can stand for what it is a part of.
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, node);
    }
    return value;
  }

  #readOwn(node: unknown, depth: number): unknown {
    if (isScalar(node)) return scalarValue(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) return this.#readMap(node, depth);
    return null;
  }

  #readAlias(alias: { readonly source: string }, depth: number): unknown {
    if (!this.#targets.has(alias)) {
      if (!this.#anchors.has(alias.source)) {
        return this.#fault(alias, `nothing before this alias has the anchor &${alias.source}`);
      }
      this.#targets.set(alias, this.#anchors.get(alias.source));
    }
    this.#aliasDepth += 1;
    const value = this.read(this.#targets.get(alias), depth);
    this.#aliasDepth -= 1;
    return value;
  }

  #readMap({ items }: YAMLMap, depth: number): unknown {
    const offsets = new Map<string, number>();
    const members: [string, unknown][] = [];
    for (const { key, value } of items) {
      const name = this.#nameOf(key);
      if (name === undefined) continue;
      const first = offsets.get(name);
      if (first !== undefined) {
        this.#fault(key, `${name} stands here a second time; the first is in line ${this.#lineOf(first)}`);
        continue;
      }
      offsets.set(name, offsetOf(key));
      members.push([name, this.read(value, depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  #nameOf(key: unknown): string | undefined {
    const scalar = isAlias(key) ? this.#anchors.get(key.source) : key;
    if (!isScalar(scalar)) {
      this.#fault(key, 'a name must be one word');
      return undefined;
    }
    if (scalar.anchor !== undefined) this.#anchors.set(scalar.anchor, scalar);
    if (typeof scalar.value === 'string') {
      if (scalar.value !== '<<') return scalar.value;
      this.#fault(
        key,
        '<< is no member of YAML 1.2; a whole limit, list or rule can be repeated with an alias',
      );
      return undefined;
    }
    const source = scalar.source ?? '';
    const hint =
      source === '' ? 'a name is missing here' : `a name must be text: write it in quotes, "${source}"`;
    this.#fault(key, hint);
    return undefined;
  }

  #fault(node: unknown, text: string): null {
    const offset = offsetOf(node);
    if (!this.#faults.has(offset)) this.#faults.set(offset, text);
    return null;
  }

  /** Where a part stands, or its name; where it isn't there, the nearest part around it. */
  offsetOf(root: unknown, path: Path, isOfName: boolean): number {
    const found = this.#find(root, path);
    return offsetOf(isOfName || found.value === null ? (found.key ?? found.value) : found.value);
  }

  /** As it is written, if it is a plain word or number. */
  sourceOf(root: unknown, path: Path): string | undefined {
    const { value, isWhole } = this.#find(root, path);
    return isWhole && isScalar(value) && value.type === 'PLAIN' ? value.source : undefined;
  }

  #find(root: unknown, path: Path): { value: unknown; key: unknown; isWhole: boolean } {
    let value = this.#behindAlias(root);
    let key: unknown = null;
    for (const part of path) {
      const pair = isMap(value) ? value.items.find((item) => isNamed(item, part)) : undefined;
      const item = isSeq(value) && typeof part === 'number' ? value.items[part] : undefined;
      if (pair === undefined && item === undefined) return { value, key, isWhole: false };
      key = pair === undefined ? null : pair.key;
      value = this.#behindAlias(pair === undefined ? item : pair.value);
    }
    return { value, key, isWhole: true };
  }

  #behindAlias(node: unknown): unknown {
    let target = node;
    while (this.#targets.has(target)) target = this.#targets.get(target);
    return target;
  }
}

function isNamed({ key }: Pair, name: string | number): boolean {
  return isScalar(key) && key.value === name;
}

/** A number that isn't a whole one in plain digits, or that isn't exact, is NaN: good for nothing. */
function scalarValue({ value, type, source = '' }: Scalar): unknown {
  if (typeof value !== 'number' || type !== 'PLAIN') return value;
  return PLAIN_INTEGER.test(source) && Number.isSafeInteger(value) ? value : Number.NaN;
}

function offsetOf(node: unknown): number {
  const range: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}
