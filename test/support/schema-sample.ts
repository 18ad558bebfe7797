/** A JSON Schema, as far as routes use it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
}

/** Members whose value isn't any text: the only page of a list, times, links. */
const BY_NAME: readonly [name: RegExp, value: unknown][] = [
  [/^next$/, null],
  [/At$|^at$|^since$|^from$|^to$/, '2026-07-01T12:00:00.000Z'],
  [/^url$/, 'https://brume.example.org/invitation#brume_in_x'],
];

/** One value that meets a schema, with everything in it that may be there. `name` is the member's. */
export function sampleOf(schema: object, name = ''): unknown {
  const { type, properties, items, anyOf, enum: values, const: constant, minimum = 1 } = schema as Schema;
  const [, known] = BY_NAME.find(([pattern]) => pattern.test(name)) ?? [];
  if (known !== undefined) return known;
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0], name);
  switch (typeof type === 'string' ? type : type?.[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([member, of]) => [member, sampleOf(of, member)]),
      );
    case 'array':
      return items === undefined ? [] : [sampleOf(items)];
    case 'string':
      return 'sample';
    case 'integer':
    case 'number':
      return minimum;
    case 'boolean':
      return true;
    default:
      return null;
  }
}
