#!/usr/bin/env node
import { CommanderError } from 'commander';
import { exitCodeOf, faultText } from './fault.ts';
import { heedInterrupts } from './interrupt.ts';
import { selvageProgram } from './program.ts';

const interrupted = heedInterrupts();
try {
  await selvageProgram(interrupted).parseAsync();
} catch (error) {
  const fault = interrupted.aborted ? interrupted.reason : error;
  if (!(fault instanceof CommanderError)) console.error(`selvage: ${faultText(fault)}`);
  process.exitCode = exitCodeOf(fault);
}
