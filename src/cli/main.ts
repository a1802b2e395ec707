#!/usr/bin/env node
import { CommanderError } from 'commander';
import { selvageProgram } from './program.ts';
import { exitCodeOf, faultText } from './terminal/error-report.ts';
import { heedInterrupts } from './terminal/interrupt.ts';

const interrupted = heedInterrupts();
try {
  await selvageProgram(interrupted).parseAsync();
} catch (error) {
  const fault = interrupted.aborted ? interrupted.reason : error;
  if (!(fault instanceof CommanderError)) console.error(`selvage: ${faultText(fault)}`);
  process.exitCode = exitCodeOf(fault);
}
