import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import type { Patient } from './patient.ts';

const tell = tellerOf('disk');

const MEBIBYTE = 1024 * 1024;
/** What a checkpoint of SQLite and a new snapshot take at the least. */
const FREE_BYTES_MIN = 32 * MEBIBYTE;
const FREE_BYTES_WANTED = 256 * MEBIBYTE;
const FREE_INODES_MIN = 64;

/** Whether the state directory has room: there the embedded stores and the snapshot are written. */
export function examineDisk({ settings: { stateDir } }: Patient): Finding[] {
  try {
    const directory = existing(stateDir);
    const { bavail, bsize, blocks, ffree, files } = statfsSync(directory);
    const [free, all] = [bavail * bsize, blocks * bsize];
    const room = `${stateDir}: ${sizeText(free)} of ${sizeText(all)} are free`;
    if (isReadOnly(directory))
      return [
        tell.failure(
          `${stateDir}: the file system can't be written to.`,
          'Mount it for writing; dmesg says whether the disk has faults.',
        ),
      ];
    if (files > 0 && ffree < FREE_INODES_MIN)
      return [
        tell.failure(
          `${stateDir}: the file system has ${ffree} free inodes.`,
          'Remove files that nobody needs: df -i shows where.',
        ),
      ];
    const state = free < FREE_BYTES_MIN ? 'failure' : free < FREE_BYTES_WANTED ? 'warning' : 'ok';
    if (state === 'ok') return [tell.ok(`${room}.`)];
    return [
      tell[state](
        `${room}.`,
        `Make room, or set BRUME_STATE_DIR to another disk: a full one keeps changes from being saved.`,
      ),
    ];
  } catch (error) {
    return [tell.unseen(`${stateDir}: it can't be looked at (${codeOf(error)}).`, 'Run this as root.')];
  }
}

/** It is made at the first start: its parent is where. */
function existing(path: string): string {
  return path === '/' || statSync(path, { throwIfNoEntry: false }) !== undefined
    ? path
    : existing(dirname(path));
}

function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EROFS';
  }
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / MEBIBYTE;
  return mebibytes < 10_240 ? `${mebibytes.toFixed(0)} MiB` : `${(mebibytes / 1024).toFixed(0)} GiB`;
}
