/** What is started as redis-server: scripts/run-tests.ts runs some files once more with Valkey. */
export const REDIS_PROGRAM = process.env.TEST_REDIS_SERVER ?? 'redis-server';
