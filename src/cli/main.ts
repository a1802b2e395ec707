#!/usr/bin/env node
import { Command } from 'commander';
import { accessCommand } from './access.ts';
import { faultText } from './instance.ts';
import { keysCommand } from './keys.ts';
import { retentionCommand } from './retention.ts';

const program = new Command('selvage')
  .description('Operate a Selvage installation')
  .addCommand(keysCommand())
  .addCommand(accessCommand())
  .addCommand(retentionCommand())
  .showHelpAfterError('(add --help for the options)');

program.parseAsync().catch((error) => {
  console.error(`selvage: ${faultText(error)}`);
  process.exit(1);
});
