import { readlinkSync } from 'node:fs';
import { version } from '../../version.ts';
import { type Introduction, PROTOCOL } from './messages.ts';

/** This process, as it introduces itself. */
export function introduction(): Introduction {
  return { protocol: PROTOCOL, version, pid: process.pid, pidNamespace: pidNamespace() };
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Equal to no other's.
    return `unknown to ${process.pid}`;
  }
}
