import { type EnvSchemaOpt, envSchema } from 'env-schema';
import { optionOf, VARIABLES, type Variable } from './options.ts';

/** The JSON schema of the whole configuration, made from the declarations. */
const CONFIG_SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(VARIABLES.map((variable) => [variable, property(variable)])),
};

function property(variable: Variable): Record<string, unknown> {
  const { kind, default: fallback } = optionOf(variable);
  return { ...kind.schema, ...(fallback === null ? {} : { default: fallback }) };
}

/** Formats are what plain JSON schema can't say; the kinds say it. */
const FORMATS = VARIABLES.map(optionOf).flatMap(({ kind }) =>
  typeof kind.schema.format === 'string' ? [{ name: kind.schema.format, kind }] : [],
);

type CustomOptions = Extract<NonNullable<EnvSchemaOpt['ajv']>, { customOptions: unknown }>['customOptions'];
/** Kept, because Ajv keeps the compiled schema. */
let checker: ReturnType<CustomOptions> | undefined;

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
      ajv: { customOptions: withFormats },
    });
    return { values };
  } catch (error) {
    return { invalid: invalidVariables(error) };
  }
}

const withFormats: CustomOptions = (fresh) => {
  if (checker !== undefined) return checker;
  for (const { name, kind } of FORMATS) {
    fresh.addFormat(name, { type: 'string', validate: (text) => kind.fault(text) === undefined });
  }
  checker = fresh;
  return checker;
};

/** Ajv's errors name a value by its JSON pointer: `/BRUME_LISTEN`. Any other error is a bug. */
function invalidVariables(error: unknown): Variable[] {
  const found = error instanceof Error && 'errors' in error ? error.errors : undefined;
  if (!Array.isArray(found)) throw error;
  const pointers = found.map(({ instancePath }: { instancePath: string }) => instancePath);
  return VARIABLES.filter((variable) => pointers.includes(`/${variable}`));
}
