import { Argument, Command } from 'commander';
import { commandTable } from './command-table.ts';
import { COMPLETIONS } from './scripts.ts';

const SHELLS = Object.keys(COMPLETIONS) as (keyof typeof COMPLETIONS)[];

const EXAMPLES = `
Examples:
  $ selvage completion bash > ~/.local/share/bash-completion/completions/selvage
  $ selvage completion zsh > ~/.zsh/_selvage       # in a folder of $fpath
  $ selvage completion fish > ~/.config/fish/completions/selvage.fish`;

/** `completion bash|zsh|fish` */
export const completionCommand = (program: Command): Command =>
  new Command('completion')
    .description('a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: keyof typeof COMPLETIONS) => {
      process.stdout.write(COMPLETIONS[shell](commandTable(program)));
    });
