import type { Command, Option } from 'commander';

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
export interface CommandRow {
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
