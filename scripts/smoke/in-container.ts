import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Guest } from '../../test/systemd/guest.ts';

export interface InContainerOptions {
  /** A directory, and where the guest has it. */
  readonly given: string;
  readonly place: string;
  readonly command: readonly string[];
  onLine(line: string): void;
}

/** Boots a system that has a directory of ours in it. */
export function bootWith(given: string, place: string): Promise<Guest> {
  return Guest.boot((tree) => {
    mkdirSync(dirname(join(tree, place)), { recursive: true });
    cpSync(given, join(tree, place), { recursive: true });
  });
}

/** Runs a command in a system that systemd-nspawn has booted for it; its output comes line by line. */
export async function inContainer({ given, place, command, onLine }: InContainerOptions): Promise<void> {
  const guest = await bootWith(given, place);
  try {
    const namespaces = ['-m', '-u', '-i', '-n', '-p', '-C'];
    const child = spawn('nsenter', ['-t', guest.leader, ...namespaces, '--', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    for await (const line of createInterface({ input: child.stdout })) onLine(line);
    await ended;
  } finally {
    await guest.end();
  }
}
