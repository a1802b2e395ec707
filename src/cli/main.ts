#!/usr/bin/env node
import { CommanderError } from 'commander';
import { selvageProgram } from './program.ts';
import { errorText, toExitCode } from './terminal/error-report.ts';
import { abortOnSignals } from './terminal/output.ts';

const signal = abortOnSignals();
// `npx selvage` is all that a new user types.
if (process.argv.length === 2) process.argv.push('start');
try {
  await selvageProgram(signal).parseAsync();
} catch (error) {
  const cause = signal.aborted ? signal.reason : error;
  if (!(cause instanceof CommanderError)) console.error(`selvage: ${errorText(cause)}`);
  process.exitCode = toExitCode(cause);
}
