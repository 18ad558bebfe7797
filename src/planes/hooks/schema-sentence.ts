/** The part of a fault as ajv reports it (`verbose`) of which a sentence is made. */
export interface SchemaFaultPart {
  readonly keyword?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/**
 * What a member must be, to stand behind its name: from the `description` of its schema, which
 * completes "MEMBER must be …", or else from what the schema says.
 */
export function schemaSentence({ keyword, parentSchema: schema = {} }: SchemaFaultPart): string {
  if (keyword === 'uniqueItems') return 'must not have an entry twice';
  const { description } = schema;
  return `must be ${typeof description === 'string' ? description : (meaning(schema) ?? 'valid')}`;
}

function meaning(schema: Readonly<Record<string, unknown>>): string | undefined {
  const { type, enum: words } = schema;
  if (Array.isArray(words)) return `one of ${words.join(', ')}`;
  const noun = typeof type === 'string' ? TYPES[type] : undefined;
  if (noun === undefined || typeof schema.pattern === 'string') return undefined;
  return `${noun}${bounds(schema.minimum, schema.maximum, '')}${bounds(schema.minItems, schema.maxItems, ' entries')}`;
}

function bounds(least: unknown, most: unknown, unit: string): string {
  if (typeof least === 'number' && typeof most === 'number') {
    return `${unit === '' ? ' from' : ' of'} ${least} to ${most}${unit}`;
  }
  if (typeof least === 'number') return ` of at least ${least}${unit}`;
  return typeof most === 'number' ? ` of at most ${most}${unit}` : '';
}
