import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { START } from '../platform/local-instance.ts';
import { operationCommands } from './api/operation-commands.ts';
import { classifyCommand } from './commands/classify.ts';
import { feedCommand } from './commands/feed.ts';
import { jobCommands } from './commands/jobs.ts';
import { accessCommand, keysCommand, retentionCommand } from './commands/keys.ts';
import { modelsCommand } from './commands/models.ts';
import { outfitsCommand } from './commands/outfits.ts';
import {
  batchCommand,
  refineCommand,
  removeCommand,
  splitCommand,
  watchCommand,
} from './commands/photos.ts';
import { doctorCommand, mcpCommand, serviceCommands } from './commands/service.ts';
import { sourcesCommand } from './commands/sources.ts';
import { webhooksListenCommand } from './commands/webhooks-listen.ts';
import { completionCommand } from './completion.ts';
import { EXIT_HELP, usageError } from './terminal/output.ts';

const SETTINGS_HELP = `
Environment:
  SELVAGE_URL    the server; by default the one that "${START}" runs here
  SELVAGE_KEY    the key; by default that of the server that runs here
  SELVAGE_HOME   where the server that runs here stores its data; .selvage
  NO_COLOR       no colours`;

/** Other users of the machine can see a command line, and the shell stores it in its history. */
function rejectKey(): never {
  throw usageError(
    'Keys do not belong on the command line, where others see them. Set SELVAGE_KEY, or pass --key-file.',
  );
}

/** Adds the options that every command has. */
function withGlobalOptions(program: Command): Command {
  return program
    .option('--server <url>', 'URL of the server; SELVAGE_URL')
    .option('--key-file <file>', 'file with the key; SELVAGE_KEY')
    .option(
      '--json',
      'print JSON (one value, or one a line); everything else goes to standard error',
    )
    .option('--quiet', 'print only results and failures')
    .addOption(program.createOption('--key [key]').hideHelp().argParser(rejectKey))
    .on('option:key', rejectKey)
    .hook('preAction', (whole, called) => {
      for (const [name, value] of Object.entries(whole.opts())) called.setOptionValue(name, value);
    });
}

/** Makes every command handle errors and help the same way. */
function applyConventions(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .configureHelp({ showGlobalOptions: true });
  command.commands.forEach(applyConventions);
}

/** Creates the `selvage` command. @param signal aborts what is running */
export function selvageProgram(signal: AbortSignal): Command {
  const program = withGlobalOptions(new Command('selvage'));
  program
    .description('Cut-outs, garment classes and outfits, from the command line')
    .version(manifest.version)
    .addCommand(removeCommand(signal))
    .addCommand(refineCommand(signal))
    .addCommand(classifyCommand(signal))
    .addCommand(splitCommand(signal))
    .addCommand(batchCommand(signal))
    .addCommand(watchCommand(signal))
    .addCommand(feedCommand(signal))
    .addCommand(sourcesCommand(signal))
    .addCommand(outfitsCommand(signal))
    .addCommand(doctorCommand(signal))
    .addCommand(modelsCommand(signal))
    .addCommand(mcpCommand(signal))
    .addCommand(keysCommand())
    .addCommand(accessCommand())
    .addCommand(retentionCommand())
    .addHelpText('after', `${SETTINGS_HELP}\n${EXIT_HELP}`);
  for (const command of [...serviceCommands(signal), ...operationCommands(signal)])
    program.addCommand(command);
  const jobs = program.commands.find((command) => command.name() === 'jobs');
  for (const command of jobCommands(signal)) jobs?.addCommand(command);
  const webhooks = program.commands.find((command) => command.name() === 'webhooks');
  webhooks?.addCommand(webhooksListenCommand(signal));
  program.addCommand(completionCommand(program));
  applyConventions(program);
  return program;
}
