import { Argument, Command, type Option } from 'commander';

/** A word that can follow, with what it is for. */
interface Word {
  word: string;
  about: string;
}

/** An option, with the words that it accepts as its value. */
interface Flag {
  /** `--format`, `-o`. */
  names: string[];
  about: string;
  takesValue: boolean;
  values: readonly string[];
}

/** A command as a shell completes it. */
interface CommandRow {
  /** Words after `selvage`: `feed import`, and none for `selvage` itself. */
  path: string;
  about: string;
  commands: Word[];
  flags: Flag[];
}

const toFlag = (option: Option): Flag => ({
  names: [option.long, option.short].flatMap((name) => name ?? []),
  about: option.description,
  takesValue: option.required || option.optional,
  values: option.argChoices ?? [],
});

/** Returns a row for a command and each one below it, from the commands themselves. */
export function commandTable(
  command: Command,
  path = '',
  above: readonly Flag[] = [],
): CommandRow[] {
  const own = command.options.filter((option) => !option.hidden).map(toFlag);
  const flags = [...own, ...above];
  const { commands } = command;
  const row = {
    path,
    about: command.description(),
    commands: commands.map((each) => ({ word: each.name(), about: each.description() })),
    flags: [...flags, { names: ['--help'], about: 'show help', takesValue: false, values: [] }],
  };
  const below = commands.flatMap((each) =>
    commandTable(each, `${path} ${each.name()}`.trim(), flags),
  );
  return [row, ...below];
}

/** Quotes text for bash, zsh and fish alike. */
const quote = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`;

const namesOf = ({ commands, flags }: CommandRow): string[] => [
  ...commands.map(({ word }) => word),
  ...flags.flatMap(({ names }) => names),
];

/** The commands that lead on, as patterns of a `case`. */
const pathPattern = (rows: readonly CommandRow[]): string =>
  rows
    .filter(({ path }) => path)
    .map(({ path }) => quote(path))
    .join('|');

/** Values by command and option, as cases. */
const valueCases = (rows: readonly CommandRow[], format: (values: string) => string): string =>
  rows
    .flatMap(({ path, flags }) =>
      flags
        .filter(({ values }) => values.length > 0)
        .map(({ names, values }) => {
          const patterns = names.map((name) => quote(`${path} ${name}`)).join('|');
          return `    ${patterns}) ${format(values.join(' '))} ;;`;
        }),
    )
    .join('\n');

/* Each script follows the words to the command that they name, and offers what its row has; else files. */

const bash = (rows: readonly CommandRow[]): string => `# bash completion of selvage
_selvage() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${pathPattern(rows)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $prev" in
${valueCases(rows, (values) => `COMPREPLY=($(compgen -W ${quote(values)} -- "$cur")); return`)}
  esac
  case "$path" in
${rows.map((row) => `    ${quote(row.path)}) words=${quote(namesOf(row).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _selvage selvage
`;

const described = (words: readonly { word: string; about: string }[]): string =>
  words.map(({ word, about }) => quote(`${word}:${about.replaceAll(':', ' ')}`)).join(' ');

const zsh = (rows: readonly CommandRow[]): string => `#compdef selvage
_selvage() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} path_= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
      ${pathPattern(rows)}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$path_ $prev" in
${valueCases(rows, (values) => `compadd -- ${values}; return`)}
  esac
  case "$path_" in
${rows
  .map(({ path, commands, flags }) => {
    const options = flags.flatMap(({ names, about }) => names.map((word) => ({ word, about })));
    const files = commands.length === 0 ? '[[ $cur == -* ]] || { _files; return }; ' : '';
    return `    ${quote(path)}) ${files}found=(${described([...commands, ...options])}) ;;`;
  })
  .join('\n')}
  esac
  _describe selvage found
}
if [ "$funcstack[1]" = _selvage ]; then _selvage "$@"; else compdef _selvage selvage; fi
`;

const fish = (rows: readonly CommandRow[]): string => {
  const lines = rows.flatMap(({ path, commands, flags }) => {
    const at = `complete -c selvage -n ${quote(`test (__selvage_path) = "${path}"`)}`;
    const words = commands.map(({ word, about }) => `${at} -f -a ${word} -d ${quote(about)}`);
    const options = flags.map(({ names, about, takesValue, values }) => {
      const spelled = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      const value =
        values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : takesValue ? ' -r' : '';
      return `${at} ${spelled.join(' ')}${value} -d ${quote(about)}`;
    });
    return [...words, ...options];
  });
  return `# fish completion of selvage
function __selvage_path
  set -l path
  for word in (commandline -opc)[2..]
    switch "$path $word"
      case ${rows
        .filter(({ path }) => path)
        .map(({ path }) => quote(path.includes(' ') ? path : ` ${path}`))
        .join(' ')}
        set path (string trim "$path $word")
    end
  end
  echo "$path"
end
${lines.join('\n')}
`;
};

/** The scripts by shell. */
export const COMPLETIONS = { bash, zsh, fish } as const;

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
