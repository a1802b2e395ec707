import { Command } from 'commander';
import type { Output } from '../terminal/output.ts';

/** `doctor`: finds problems of the installation and says how to fix them. */
export const doctorCommand = (signal: AbortSignal): Command =>
  new Command('doctor')
    .description(
      'check Redis, storage, published links, model, device, port, disk and clock, and say how to fix problems',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage doctor\n  $ REDIS_URL=redis://cache:6379 selvage doctor --json',
    )
    .action(async (output: Output) => {
      const { diagnose } = await import('./diagnose.ts');
      await diagnose(output, signal);
    });
