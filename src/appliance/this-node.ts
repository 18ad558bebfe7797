import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Node } from '../stores/sql/nodes.ts';
import { errorCode } from './start-error.ts';

/** This process, as other nodes know it. */
export function thisNode(id: string, counters: Node['counters']): Node {
  return { id, host: hostname(), pid: process.pid, pidSpace: pidSpace(), counters };
}

/**
 * Whether a node's process is known to have ended: it was one of this host's, and there is none of
 * its number now. Also if it had our own number: then it was there before us.
 */
export function isProcessGone(node: Pick<Node, 'host' | 'pid' | 'pidSpace'>): boolean {
  if (node.pidSpace === '' || node.pidSpace !== pidSpace() || node.host !== hostname()) return false;
  return node.pid === process.pid || isPidGone(node.pid);
}

/** Whether no process of this number is there, as far as this one can see. */
export function isPidGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

/**
 * The running system and its namespace of processes. Host names alone don't do: containers may share
 * one, and don't see each other's processes.
 */
function pidSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
