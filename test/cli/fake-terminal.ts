import { Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: readonly string[];
}

/** Runs a command line in this process; `answer` is what the person at the terminal says. */
export async function runWith(
  args: readonly string[],
  { answer, input = '' }: { answer?: string; input?: string | AsyncIterable<Uint8Array> } = {},
): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const questions: string[] = [];
  const terminal: Terminal = {
    isInteractive: answer !== undefined,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    ask: async (question) => {
      questions.push(question);
      return answer ?? '';
    },
    askSecret: async (question) => {
      questions.push(`secret ${question}`);
      return answer ?? '';
    },
    input: () => (typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input),
  };
  const exitCode = await run(args, terminal);
  return { exitCode, stdout: out.join('\n'), stderr: err.join('\n'), questions };
}

/** Where nobody sits, and what is written is thrown away. */
export function silentTerminal(): Terminal {
  return {
    isInteractive: false,
    out: () => {},
    err: () => {},
    ask: async () => '',
    askSecret: async () => '',
    input: () => Readable.from([]),
  };
}
