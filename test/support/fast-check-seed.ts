import fc from 'fast-check';

/** Loaded before each test file by scripts/run-tests.ts. By hand without TEST_SEED, a seed is drawn for each property. */
const { TEST_SEED } = process.env;
if (TEST_SEED !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });
