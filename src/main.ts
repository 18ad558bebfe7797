#!/usr/bin/env node
import './sealed-environment.ts';
import { nameProcess } from './cli/process-name.ts';
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal.ts';

nameProcess();
// Until the command has ended: most timers, which it may be waiting for, keep no process alive.
const alive = setInterval(() => undefined, 2 ** 30);
// No top-level await: the bundle is a CommonJS file.
void run(process.argv.slice(2), processTerminal()).then((exitCode) => {
  clearInterval(alive);
  // Whoever interrupted a command waits for none of the answers that are still to come.
  if (exitCode > 128) process.exit(exitCode);
  process.exitCode = exitCode;
});
