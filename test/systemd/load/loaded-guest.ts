import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Guest } from '../guest.ts';
import { startAnew } from '../started-brume.ts';
import { type LoadPlan, type LoadReport, limitsOf, NAMESPACES } from './load.ts';

const BRUME_PORT = 8600;
/** Through nginx; fewer where the machine has other things to do. */
const PER_SECOND = Number(process.env.TEST_LOAD_PER_SECOND ?? '300');
/** So that what a busy machine delays is not unjudged. */
const PATIENT = 'BRUME_REDIS_TIMEOUT_MS=5000\nBRUME_KEY_LOOKUP_TIMEOUT_MS=5000\n';
const LINES = 60;
let runs = 0;

/** A guest whose Brume is asked at a steady rate, through an nginx and directly. */
export interface LoadedGuest {
  /** Does something while the load is under way, and gives what the clients met. */
  during(action: () => Promise<unknown>, perSecond?: number): Promise<LoadReport>;
}

/** Starts Brume with a configuration, and gives it the namespaces and the key of the load. */
export async function loadedGuest(guest: Guest, seconds: number, configuration = ''): Promise<LoadedGuest> {
  await startAnew(guest, PATIENT + configuration);
  await guest.must('brume', 'project', 'create', 'load');
  const limits = limitsOf(seconds);
  const rules = {
    few: ['--limit', String(limits.few), '--window', '365d', '--algorithm', 'token_bucket'],
    many: ['--limit', String(limits.many), '--window', '1d', '--algorithm', 'sliding_log'],
    quota: ['--quota', `${limits.quota}/never`],
  };
  for (const namespace of NAMESPACES) {
    const rule = [...rules[namespace], '--identify-by', 'path'];
    await guest.must('brume', 'namespace', 'create', 'load', namespace, ...rule);
  }
  const { key } = JSON.parse(
    await guest.must('brume', 'key', 'create', 'load', 'client', '--scope', 'limit', '--json'),
  );
  const front = guest.startBeside(join(import.meta.dirname, 'front.ts'), String(BRUME_PORT), key);
  const nginxPort = Number(
    (await createInterface({ input: front.stdout })[Symbol.asyncIterator]().next()).value,
  );
  return {
    async during(action, perSecond = PER_SECOND) {
      const plan: LoadPlan = {
        brumePort: BRUME_PORT,
        nginxPort,
        key,
        run: `run${++runs}`,
        seconds,
        perSecond,
      };
      const client = guest.startBeside(join(import.meta.dirname, 'client.ts'), JSON.stringify(plan));
      const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
      if ((await lines.next()).value !== 'steady') throw new Error('the load did not start');
      try {
        await action();
      } finally {
        client.stdin.end();
      }
      const report: LoadReport = JSON.parse((await lines.next()).value ?? '');
      if (report.faults.length > 0) console.error(await lastWords(guest));
      return report;
    },
  };
}

/** What Brume has said of late, for who reads a failure. */
async function lastWords(guest: Guest): Promise<string> {
  return (await guest.journal()).split('\n').slice(-LINES).join('\n');
}
