import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from './failure.ts';
import { printableLines } from './printable.ts';

/** What a command sees of the terminal. Whatever it writes arrives without control characters. */
export interface Terminal {
  /** Somebody sits there who can answer. */
  readonly isInteractive: boolean;
  /** Writes the result, and ends the line. */
  out(text: string): void;
  /** Writes what isn't the result, and ends the line. */
  err(text: string): void;
  /** The line that was answered; empty if the answer was the end of input. */
  ask(question: string): Promise<string>;
  /** The same, and what is typed is not shown. */
  askSecret(question: string): Promise<string>;
  /** What comes on standard input, which may never end. */
  input(): AsyncIterable<Uint8Array>;
}

/** The terminal, or the pipes, of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', endUnwritten);
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
async function ask(question: string): Promise<string> {
  return answerOn(createInterface({ input: process.stdin, output: process.stderr }), question);
}

/** As a terminal, readline takes over the echo, and here shows nothing of it. */
async function askSecret(question: string): Promise<string> {
  process.stderr.write(printableLines(question));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  const answer = await answerOn(lines, '');
  process.stderr.write('\n');
  return answer;
}

async function answerOn(lines: Interface, question: string): Promise<string> {
  const answered = new Promise<string>((resolve) => lines.question(printableLines(question), resolve));
  const closed = once(lines, 'close').then(() => '');
  const answer = await Promise.race([answered, closed]);
  lines.close();
  return answer;
}
