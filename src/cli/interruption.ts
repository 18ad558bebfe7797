import { constants } from 'node:os';

export type StopSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/** Somebody ended a command before its time: by Ctrl-C, also at a question, by a signal, or by closing the terminal. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  /** As a shell has it: 130 after Ctrl-C. */
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super('Interrupted.');
    this.exitCode = 128 + constants.signals[signal];
  }
}
