import { Ajv } from 'ajv';
import { envSchema } from 'env-schema';
import { optionOf, VARIABLES, type Variable } from './options.ts';

/** The JSON schema of the whole configuration, made from the declarations. */
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(VARIABLES.map((variable) => [variable, property(variable)])),
};

function property(variable: Variable): Record<string, unknown> {
  const { kind, default: fallback } = optionOf(variable);
  return { ...kind.schema, ...(fallback === null ? {} : { default: fallback }) };
}

/**
 * With formats, which say what plain JSON schema can't, by the kinds. One of our own is kept, and doesn't
 * check that the schema is one: env-schema would make another each time, and compile the schema of schemas.
 */
const checker = new Ajv({
  allErrors: true,
  removeAdditional: true,
  useDefaults: true,
  coerceTypes: true,
  allowUnionTypes: true,
  validateSchema: false,
  // It checks once.
  code: { optimize: false },
  formats: Object.fromEntries(
    VARIABLES.map(optionOf).flatMap(({ kind }) =>
      typeof kind.schema.format === 'string' ? [[kind.schema.format, formatOf(kind)]] : [],
    ),
  ),
});

function formatOf(kind: ReturnType<typeof optionOf>['kind']) {
  return { type: 'string', validate: (text: string) => kind.fault(text) === undefined } as const;
}

/**
 * Checks texts by the schema. Gives the values, completed with defaults and converted where JSON
 * schema has the type, or the names of the variables at fault.
 */
export function checkTexts(
  texts: Readonly<Record<string, string>>,
): { values: Readonly<Record<string, unknown>> } | { invalid: readonly Variable[] } {
  try {
    const values = envSchema({
      schema: CONFIG_SCHEMA,
      data: { ...texts },
      env: false,
      ajv: checker,
    });
    return { values };
  } catch (error) {
    return { invalid: invalidVariables(error) };
  }
}

/** Ajv's errors name a value by its JSON pointer: `/BRUME_LISTEN`. Any other error is a bug. */
function invalidVariables(error: unknown): Variable[] {
  const found = error instanceof Error && 'errors' in error ? error.errors : undefined;
  if (!Array.isArray(found)) throw error;
  const pointers = found.map(({ instancePath }: { instancePath: string }) => instancePath);
  return VARIABLES.filter((variable) => pointers.includes(`/${variable}`));
}
