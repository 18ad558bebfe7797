import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from './sqlite-file.ts';
import { StateDirError } from './state-dir-error.ts';

const SQLITE_BUSY = 5;

/** A state directory that no Brume serves from meanwhile, until it is given back or the process ends. */
export interface StateDirLock {
  giveBack(): void;
}

/** A Brume serves from it. False also where that can't be told: whoever opens it finds out. */
export function isStateDirHeld(stateDir: string): boolean {
  const path = join(stateDir, 'brume.lock');
  if (!existsSync(path)) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path, { timeout: 0, readOnly: true });
    lock.exec('begin; select count(*) from sqlite_master; commit');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock?.close();
  }
}

/** Throws StateDirError where a Brume runs on it, or it can't be written to. */
export function lockStateDir(stateDir: string): StateDirLock {
  const path = join(stateDir, 'brume.lock');
  let lock: DatabaseSync;
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    makePrivateFile(path);
    lock = new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw new StateDirError(`the state directory ${stateDir} can't be written to`, error);
  }
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw new StateDirError(`${path} can't be locked`, error);
    throw new StateDirError(
      `another Brume process is using the state directory ${stateDir}: stop it first (systemctl stop brume)`,
      undefined,
    );
  }
  return { giveBack: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) === SQLITE_BUSY;
}
