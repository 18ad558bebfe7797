import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from './failure.ts';
import { Interruption } from './interruption.ts';
import { printableLines } from './printable.ts';

/** What a command sees of the terminal. Whatever it writes arrives without control characters. */
export interface Terminal {
  /** Somebody sits there who can answer. */
  readonly isInteractive: boolean;
  /** Writes the result, and ends the line. */
  out(text: string): void;
  /** Writes what isn't the result, and ends the line. */
  err(text: string): void;
  /**
   * The line that was answered; null at the end of input. Rejects with an Interruption after Ctrl-C, and with the
   * signal's reason.
   */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  /** The same, and what is typed is not shown; empty at the end of input. */
  askSecret(question: string): Promise<string>;
  /** What comes on standard input, which may never end. */
  input(): AsyncIterable<Uint8Array>;
}

/** The terminal, or the pipes, of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', endUnwritten);
  // A terminal that was closed takes nothing, and there is nobody to tell.
  stderr.on('error', () => undefined);
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    out: (text) => stdout.write(`${printableLines(text)}\n`),
    err: (text) => stderr.write(`${printableLines(text)}\n`),
    ask,
    askSecret,
    input: () => stdin,
  };
}

/** `brume project list | head -1` closes the pipe early, which is no fault; a full disk is one. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`brume: Standard output can't be written: ${error.message}\n`, () =>
    process.exit(EXIT.refused),
  );
}

/** On standard error, so that it never mixes with a result. */
async function ask(question: string, signal?: AbortSignal): Promise<string | null> {
  return answerOn(createInterface({ input: process.stdin, output: process.stderr }), question, signal);
}

/** As a terminal, readline takes over the echo, and here shows nothing of it. */
async function askSecret(question: string): Promise<string> {
  process.stderr.write(printableLines(question));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  try {
    return (await answerOn(lines, '')) ?? '';
  } finally {
    process.stderr.write('\n');
  }
}

/** readline takes Ctrl-C for itself while it asks, and would make an end of input of it. */
async function answerOn(lines: Interface, question: string, signal?: AbortSignal): Promise<string | null> {
  signal?.throwIfAborted();
  // Whose end was told to an earlier question, which is told once.
  if (process.stdin.readableEnded || process.stdin.destroyed) return null;
  const over = new AbortController();
  try {
    return await new Promise<string | null>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
      lines.once('SIGINT', () => reject(new Interruption('SIGINT')));
      lines.once('close', () => resolve(null));
      // As of a terminal that is gone.
      lines.once('error', () => resolve(null));
      lines.question(printableLines(question), resolve);
    });
  } catch (error) {
    process.stderr.write('\n');
    throw error;
  } finally {
    over.abort();
    lines.close();
  }
}
