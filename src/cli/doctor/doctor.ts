import { Command } from 'commander';
import type { Output } from '../terminal/output.ts';

/** `doctor`: what the installation here needs, and what to do where it is missing. */
export const doctorCommand = (signal: AbortSignal): Command =>
  new Command('doctor')
    .description('look at Redis, store, model, device, ports, disk and clock, and say what to do')
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage doctor\n  $ REDIS_URL=redis://cache:6379 selvage doctor --json',
    )
    .action(async (output: Output) => {
      const { diagnose } = await import('./diagnose.ts');
      await diagnose(output, signal);
    });
