import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';

/**
 * A file, or standard input where it is named `-`, and what messages call it. It is open when this resolves:
 * whoever reads it then needs no right to. Rejects with OperationError.
 */
export async function openInput(file: string): Promise<{ input: Readable; name: string }> {
  if (file === '-') return { input: process.stdin, name: 'Standard input' };
  try {
    const handle = await open(file, 'r');
    return { input: handle.createReadStream(), name: file };
  } catch (error) {
    const reason = messageOf(error);
    throw new OperationError(`${file} can't be read: ${reason}`, { cause: error });
  }
}
