import { ApiClient } from '../client/api-client.ts';
import { printableJson } from './printable.ts';
import { type TargetOptions, targetOf } from './target.ts';
import type { Terminal } from './terminal.ts';

/** What a command found: the same for programs and for people. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
  /** 0 if absent. */
  readonly exitCode?: number;
}

export interface OutputOptions {
  readonly json?: boolean;
}

export interface AdminOptions extends OutputOptions, TargetOptions {}

/** One run of the command line: where it writes, and the exit code that it will have. */
export class Session {
  readonly terminal: Terminal;
  exitCode = 0;
  /** What a fault ends with, where a command has a meaning of its own for the usual code. */
  faultExitCode: number | undefined;
  /** Faults are written as JSON too. */
  isJson = false;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Does a command's work and writes its answer, as JSON if asked to. */
  async answer(options: OutputOptions, work: () => Promise<Answer>): Promise<void> {
    this.isJson = options.json === true;
    const { json, text, exitCode = 0 } = await work();
    this.terminal.out(this.isJson ? printableJson(json) : text);
    this.exitCode = exitCode;
  }

  /** As `ask`, for what would be too much to hold: each part is written as it comes. */
  async askForParts(
    options: AdminOptions,
    parts: (client: ApiClient) => AsyncIterable<string>,
  ): Promise<void> {
    this.isJson = options.json === true;
    for await (const part of parts(new ApiClient(targetOf(options)))) this.terminal.out(part);
  }

  /** As `answer`, for work that talks to a running Brume, over its admin socket unless `--url` says otherwise. */
  async ask(options: AdminOptions, work: (client: ApiClient) => Promise<Answer>): Promise<void> {
    await this.answer(options, () => work(new ApiClient(targetOf(options))));
  }
}
