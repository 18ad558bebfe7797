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
  /** What a name must be where `patternProperties` say it. */
  readonly namesWords?: string | undefined;
}

/**
 * The faults of a value against a schema: every one with its place, in the order of the value, and
 * with the nearest right name for a name that is unknown. Undefined comes for each entry of a list, so that
 * others may have their turn. What `not`, `anyOf` and `allOf` say is left
 * to the caller, who has better words for it.
 */
export function* valueFaults(schema: Schema, value: unknown, path: Path): Generator<Fault | undefined> {
  if (schema.type === 'object') yield* objectFaults(schema, value, path);
  else if (schema.type === 'array') yield* listFaults(schema, value, path);
  else if (schema.enum !== undefined) yield* wordFaults(schema, schema.enum, value, path);
  else if (schema.type === 'integer') yield* integerFaults(schema, value, path);
  else if (schema.type === 'string') yield* textFaults(schema, value, path);
  else throw new Error(`no check for the schema at ${path.join('.')}`);
}

function* objectFaults(schema: Schema, value: unknown, path: Path): Generator<Fault | undefined> {
  if (!isObject(value)) return yield mustBe(schema, path);
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const named = known ?? patternSchema(patternProperties, name);
    if (named !== undefined) yield* valueFaults(named, member, [...path, name]);
    else yield nameFault(schema, name, [...path, name]);
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) yield { path: [...path, name], text: 'is required' };
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

function* listFaults(schema: Schema, value: unknown, path: Path): Generator<Fault | undefined> {
  if (!Array.isArray(value)) return yield mustBe(schema, path);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems || value.length > maxItems) yield mustBe(schema, path);
  if (schema.items === undefined) return;
  for (const [index, entry] of value.entries()) {
    yield undefined;
    yield* valueFaults(schema.items, entry, [...path, index]);
  }
}

function* wordFaults(
  schema: Schema,
  words: readonly string[],
  value: unknown,
  path: Path,
): Generator<Fault | undefined> {
  if (typeof value !== 'string') return yield mustBe(schema, path);
  if (words.includes(value)) return;
  const nearest = nearestName(value, words);
  const { text } = mustBe(schema, path);
  yield { path, text: nearest === undefined ? text : `${text}; did you mean ${nearest}?` };
}

function* integerFaults(schema: Schema, value: unknown, path: Path): Generator<Fault | undefined> {
  if (typeof value === 'string' && isInRange(schema, plainInteger(value))) {
    return yield { path, text: `is text: write the number ${value} without quotes` };
  }
  if (!isInRange(schema, value)) yield { ...mustBe(schema, path), isOfNumber: true };
}

function isInRange({ minimum, maximum }: Schema, value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= (minimum ?? 0) && Number(value) <= (maximum ?? 0);
}

function plainInteger(text: string): number {
  return /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN;
}

function* textFaults(schema: Schema, value: unknown, path: Path): Generator<Fault | undefined> {
  if (typeof value === 'string') {
    if (!fits(schema, value)) yield mustBe(schema, path);
    return;
  }
  // Quotes are worth a hint only where they would help: a window of 60 lacks its unit, not quotes.
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  yield { ...mustBe(schema, path), ...(isScalar && fits(schema, String(value)) && { isUnquoted: true }) };
}

function fits(
  { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema,
  text: string,
): boolean {
  const characters = [...text].length;
  if (characters < minLength || characters > maxLength) return false;
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
