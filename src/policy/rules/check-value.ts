import { nearestName } from '../../errors/nearest-name.ts';
import type { Fault, Path } from './fault.ts';

/** The part of JSON Schema of which rules-schema.ts consists. */
interface Schema {
  readonly type?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly patternProperties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Schema | undefined;
  readonly description?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  /** A list that may have very many entries. */
  readonly isLong?: boolean | undefined;
  /** What a name must be where `patternProperties` say it. */
  readonly namesWords?: string | undefined;
}

/** A list whose entries are still to be checked, since it may be very long. */
interface DeferredList {
  readonly items: Schema;
  readonly entries: readonly unknown[];
  readonly path: Path;
}

export interface Found {
  readonly faults: Fault[];
  readonly deferred: DeferredList[];
}

/**
 * Finds the faults of a value against a schema: every one with its place, in the order of the value, and
 * with the nearest right name for a name that is unknown. The entries of lists with `isLong` are left for
 * later. What `not`, `anyOf` and `allOf` say is left to the caller, who has better words for it.
 */
export function checkValue(schema: Schema, value: unknown, path: Path, found: Found): void {
  if (schema.type === 'object') checkObject(schema, value, path, found);
  else if (schema.type === 'array') checkList(schema, value, path, found);
  else if (schema.enum !== undefined) found.faults.push(...wordFaults(schema, schema.enum, value, path));
  else if (schema.type === 'integer') found.faults.push(...integerFaults(schema, value, path));
  else if (schema.type === 'string') found.faults.push(...textFaults(schema, value, path));
  else throw new Error(`no check for the schema at ${path.join('.')}`);
}

function checkObject(schema: Schema, value: unknown, path: Path, found: Found): void {
  if (!isObject(value)) {
    found.faults.push(mustBe(schema, path));
    return;
  }
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const named = known ?? patternSchema(patternProperties, name);
    if (named !== undefined) checkValue(named, member, [...path, name], found);
    else found.faults.push(nameFault(schema, name, [...path, name]));
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) found.faults.push({ path: [...path, name], text: 'is required' });
  }
}

function patternSchema(patterns: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  return Object.entries(patterns).find(([pattern]) => compiled(pattern).test(name))?.[1];
}

function nameFault({ properties, namesWords }: Schema, name: string, path: Path): Fault {
  if (properties === undefined) {
    return { path, text: `is not a name: it must be ${namesWords}`, isOfName: true };
  }
  const known = Object.keys(properties);
  const nearest = nearestName(name, known);
  const instead = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
  return { path, text: `is not a known member; ${instead}`, isOfName: true };
}

function checkList(schema: Schema, value: unknown, path: Path, found: Found): void {
  if (!Array.isArray(value)) {
    found.faults.push(mustBe(schema, path));
    return;
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  if (value.length < minItems || value.length > maxItems) found.faults.push(mustBe(schema, path));
  if (items === undefined) return;
  if (schema.isLong === true) found.deferred.push({ items, entries: value, path });
  else for (const [index, entry] of value.entries()) checkValue(items, entry, [...path, index], found);
}

function wordFaults(schema: Schema, words: readonly string[], value: unknown, path: Path): Fault[] {
  const { text } = mustBe(schema, path);
  if (typeof value !== 'string') return [{ path, text }];
  if (words.includes(value)) return [];
  const nearest = nearestName(value, words);
  return [{ path, text: nearest === undefined ? text : `${text}; did you mean ${nearest}?` }];
}

function integerFaults(schema: Schema, value: unknown, path: Path): Fault[] {
  if (isInRange(schema, value)) return [];
  if (typeof value === 'string' && isInRange(schema, plainInteger(value))) {
    return [{ path, text: `is text: write the number ${value} without quotes` }];
  }
  return [{ ...mustBe(schema, path), isOfNumber: true }];
}

function isInRange({ minimum, maximum }: Schema, value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= (minimum ?? 0) && Number(value) <= (maximum ?? 0);
}

function plainInteger(text: string): number {
  return /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN;
}

function textFaults(schema: Schema, value: unknown, path: Path): Fault[] {
  if (typeof value === 'string') return fits(schema, value) ? [] : [mustBe(schema, path)];
  // Quotes are worth a hint only where they would help: a window of 60 lacks its unit, not quotes.
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return [{ ...mustBe(schema, path), ...(isScalar && fits(schema, String(value)) && { isUnquoted: true }) }];
}

function fits(
  { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema,
  text: string,
): boolean {
  // UTF-16 units are never fewer than characters: these need not be counted where the units fit.
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length < minLength || length > maxLength) return false;
  return pattern === undefined || compiled(pattern).test(text);
}

const COMPILED = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = COMPILED.get(pattern) ?? new RegExp(pattern, 'u');
  COMPILED.set(pattern, known);
  return known;
}

function mustBe({ description = 'valid' }: Schema, path: Path): Fault {
  return { path, text: `must be ${description}` };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
