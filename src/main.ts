#!/usr/bin/env node
import './sealed-environment.ts';
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal.ts';

// No top-level await: the bundle is a CommonJS file.
void run(process.argv.slice(2), processTerminal()).then((exitCode) => {
  process.exitCode = exitCode;
});
