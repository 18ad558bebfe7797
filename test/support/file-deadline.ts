/**
 * Loaded before each test file by scripts/run-tests.ts: ends the file's process when it takes longer than
 * `TEST_FILE_TIMEOUT_MINUTES`. The runner's own time limit sends a SIGTERM, which node:test in the file's
 * process takes for the wish to report and stays for as long as something is left running.
 */
const minutes = Number(process.env.TEST_FILE_TIMEOUT_MINUTES);
if (minutes > 0) setTimeout(endFile, minutes * 60_000).unref();

function endFile(): void {
  const resources = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`${process.argv[1]}: not over after ${minutes} minutes; still there: ${resources}\n`);
  process.exit(1);
}
