import { type Environment, processEnvironment } from './environment.ts';

/** Of the command line, which no server reads: it may stand in the environment of one. */
export const TOKEN_VARIABLE = 'BRUME_TOKEN';

/** The token with which the command line asks a Brume over the network; undefined: none is given. */
export function commandLineToken(env: Environment = processEnvironment()): string | undefined {
  const token = env[TOKEN_VARIABLE];
  return token === '' ? undefined : token;
}
