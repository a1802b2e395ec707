import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { accessCommand } from './commands/access.ts';
import { batchCommand } from './commands/batch.ts';
import { classifyCommand } from './commands/classify.ts';
import { feedCommand } from './commands/feed.ts';
import { keysCommand } from './commands/keys.ts';
import { modelsCommand } from './commands/models.ts';
import { outfitsCommand } from './commands/outfits.ts';
import { removeCommand } from './commands/remove.ts';
import { retentionCommand } from './commands/retention.ts';
import { usageCommand } from './commands/usage.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { EXIT_HELP, usageError } from './terminal/exit.ts';

const SETTINGS_HELP = `
Environment:
  SELVAGE_URL    the server; without it, the one that "npm start" runs here
  SELVAGE_KEY    the key; without it, that of the server that runs here
  SELVAGE_HOME   where the server that runs here keeps its things; .selvage
  NO_COLOR       no colours`;

/** A key in a command line is seen by everyone on the machine, and kept in the shell's history. */
function refuseKey(): never {
  throw usageError(
    'Keys do not belong on the command line, where others see them. Set SELVAGE_KEY, or name a file by --key-file.',
  );
}

/** What the whole command knows, whichever of its commands is called. */
function withGlobals(program: Command): Command {
  return program
    .option('--server <url>', 'which server; SELVAGE_URL')
    .option('--key-file <file>', 'a file with the key; else SELVAGE_KEY')
    .option('--json', 'answer in JSON (one value, or one a line); all else goes to standard error')
    .option('--quiet', 'say nothing but answers and failures')
    .addOption(program.createOption('--key [key]').hideHelp().argParser(refuseKey))
    .on('option:key', refuseKey)
    .hook('preAction', (whole, called) => {
      for (const [name, value] of Object.entries(whole.opts())) called.setOptionValue(name, value);
    });
}

/** Every command answers faults and help the same way. */
function uniform(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .configureHelp({ showGlobalOptions: true });
  command.commands.forEach(uniform);
}

/** The `selvage` command. @param signal ends what is under way */
export function selvageProgram(signal: AbortSignal): Command {
  const program = withGlobals(new Command('selvage'))
    .description('Cut-outs, garment words and warm outfits, from the command line')
    .version(manifest.version)
    .addCommand(removeCommand(signal))
    .addCommand(classifyCommand(signal))
    .addCommand(batchCommand(signal))
    .addCommand(feedCommand(signal))
    .addCommand(outfitsCommand(signal))
    .addCommand(usageCommand(signal))
    .addCommand(doctorCommand(signal))
    .addCommand(modelsCommand(signal))
    .addCommand(keysCommand())
    .addCommand(accessCommand())
    .addCommand(retentionCommand())
    .addHelpText('after', `${SETTINGS_HELP}\n${EXIT_HELP}`);
  uniform(program);
  return program;
}
