import { statSync } from 'node:fs';
import { messageOf } from '../../errors/message-of.ts';
import { CounterFile } from '../../stores/sql/counter-file.ts';
import { databasePath, readSqliteFile } from '../../stores/sql/dump/read-at-one-moment.ts';
import { schemaState } from '../../stores/sql/migrate.ts';
import { assertNotMoved } from '../../stores/sql/moved-mark.ts';
import { SchemaError } from '../../stores/sql/schema-error.ts';
import { isStateDirHeld } from '../../stores/sql/state-dir-lock.ts';
import { operatorError } from '../operator-error.ts';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import type { Patient } from './patient.ts';
import { pendingFinding } from './store-findings.ts';

const stores = tellerOf('stores');
const clocks = tellerOf('clocks');

/** A file written in the future says that the clock was set back; so much apart are the clocks of file systems. */
const AHEAD_MS_MAX = 1000;

/** The embedded stores in the state directory, those that serve. */
export async function examineEmbedded({ settings, running }: Patient): Promise<Finding[]> {
  const { stateDir, databaseUrl, redisUrl } = settings;
  const files = [
    ...(databaseUrl === null ? [databasePath(stateDir)] : []),
    ...(redisUrl === null ? [CounterFile.pathIn(stateDir)] : []),
  ];
  if (files.length === 0) return [];
  const findings: Finding[] = [];
  if (databaseUrl === null) findings.push(...movedFindings(stateDir));
  const isUnknown = running.status === undefined && running.process === undefined;
  if (isUnknown && running.fault !== 'not_permitted' && isStateDirHeld(stateDir))
    findings.push(
      stores.warning(
        `${stateDir}: another process has it, and nobody answers on the admin socket: a Brume that starts or stops, or one with other settings.`,
        'Run this again in a minute. If it is still so, fuser shows who has brume.lock there open: stop it, or set BRUME_STATE_DIR to a directory of its own.',
      ),
    );
  for (const path of files) findings.push(await fileFinding(path));
  if (databaseUrl === null) findings.push(await schemaFinding(databasePath(stateDir)));
  findings.push(clockFinding(files, redisUrl === null));
  return findings;
}

function movedFindings(stateDir: string): Finding[] {
  try {
    assertNotMoved(stateDir);
    return [];
  } catch (error) {
    const text = messageOf(error);
    return [stores.failure(`${sentence(text)}.`, 'Set BRUME_DATABASE_URL to where they were moved.')];
  }
}

async function fileFinding(path: string): Promise<Finding> {
  const absence = absenceOf(path);
  if (absence === 'ENOENT') return stores.ok(`${path}: it is made at the first start.`);
  if (absence !== undefined)
    return stores.unseen(`${path}: it can't be looked at (${absence}).`, 'Run this as root.');
  try {
    const fault = await readSqliteFile(path, async (reader) => {
      const [row = {}] = await reader.all('pragma quick_check(1)');
      return row.quick_check === 'ok' ? undefined : String(row.quick_check);
    });
    if (fault === undefined) return stores.ok(`${path}: whole.`);
    return damaged(path, fault);
  } catch (error) {
    return damaged(path, reasonOf(error));
  }
}

function damaged(path: string, fault: string): Finding {
  return stores.failure(
    `${path}: it can't be used: ${fault}.`,
    `Stop Brume, keep a copy of the file, and restore a backup: brume help backups.`,
  );
}

/** Why there is nothing to be read: it isn't there yet (`ENOENT`), or not for this user. */
function absenceOf(path: string): string | undefined {
  try {
    statSync(path);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

async function schemaFinding(path: string): Promise<Finding> {
  const tell = tellerOf('schema');
  const absence = absenceOf(path);
  if (absence === 'ENOENT') return tell.ok('The embedded database: the first start makes it.');
  try {
    const pending = await readSqliteFile(path, async (reader) => (await schemaState(reader)).pending);
    return pendingFinding(
      'The embedded database',
      pending.map(({ name }) => name),
    );
  } catch (error) {
    if (error instanceof SchemaError)
      return tell.failure(
        `The embedded database: ${error.message}`,
        'Install the Brume that made it, or restore a backup: brume help backups.',
      );
    return tell.unseen("The embedded database can't be read.", 'See what stands of it at stores.');
  }
}

/** There is no other clock to compare with: only what was written before can tell that it was set back. */
function clockFinding(files: readonly string[], areCounters: boolean): Finding {
  const nowMs = Date.now();
  const written = files
    .flatMap((path) => [path, `${path}-wal`])
    .flatMap((path) => {
      const stats = statOf(path);
      return stats === undefined ? [] : [stats.mtimeMs];
    });
  const aheadMs = Math.max(0, ...written.map((timeMs) => timeMs - nowMs));
  if (aheadMs <= AHEAD_MS_MAX)
    return clocks.ok(
      areCounters
        ? "The embedded counters go by this machine's clock."
        : 'Nothing in the embedded database was written in the future.',
    );
  return clocks.warning(
    `The embedded stores were written ${(aheadMs / 1000).toFixed(0)} s in the future: the clock of this machine was set back.`,
    'See whether it is right (timedatectl), and have it set by NTP: chrony, or systemd-timesyncd.',
  );
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const known = operatorError(error);
  return known instanceof Error ? known.message.replace(/\.$/, '') : String(known);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.$/, '');
}
