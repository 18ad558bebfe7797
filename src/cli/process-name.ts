import { writeFileSync } from 'node:fs';

/**
 * Has `ps` and `top` show `brume` rather than what Node.js calls its first thread. Not by process.title, which
 * would write over the command line, by which one process is told from another.
 */
export function nameProcess(): void {
  try {
    writeFileSync('/proc/self/comm', 'brume');
  } catch {
    // A machine without /proc, or one that is not Linux: it is called what it is called.
  }
}
