import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `TEST_VALKEY_SERVER`, or the first `valkey-server` of the PATH; undefined if there is none. */
export function valkeyServer(): string | undefined {
  const { TEST_VALKEY_SERVER: named, PATH = '' } = process.env;
  const places = PATH.split(delimiter).map((directory) => join(directory, 'valkey-server'));
  return named === undefined || named === '' ? places.find(isExecutable) : named;
}

/** Whether all that the test starts as a Redis can be a Valkey, and what it says of it goes for both. */
export function isForValkey(file: string): boolean {
  const isAboutRedis = /\/test\/(conformance|stores\/redis)\//.test(file);
  // A Valkey may be built without TLS.
  return isAboutRedis && !file.endsWith('/tls.test.ts') && STARTS_REDIS.test(readFileSync(file, 'utf8'));
}

const STARTS_REDIS =
  /\/support\/(redis-server|redis-engine|redis-cluster|sentinels)\.ts'|\/faulty-redis\.ts'/;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
