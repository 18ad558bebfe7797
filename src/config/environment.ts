export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Nothing else in Brume reads it. */
export function processEnvironment(): Environment {
  return process.env;
}
