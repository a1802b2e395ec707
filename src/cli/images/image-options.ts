import { type Command, Option } from 'commander';
import { OPTION_NAMES, OPTIONS, type OptionName, QUALITIES } from '../../output/option-table.ts';

/** How cut-outs are made and drawn, as given on the command line: what is read by its name. */
export interface ImageOptions {
  backgroundImage?: string;
}

/** The flags of the options that have some, each with its option. */
const flagsOf = (names: readonly OptionName[]) =>
  names.flatMap((name) =>
    Object.entries(OPTIONS[name].flags ?? {}).map(([flags, about]) => ({
      name,
      flags,
      flag: typeof about === 'string' ? { help: about } : about,
    })),
  );

/** Adds the options that `readImageOptions` reads. @param names of those that the command has */
export function withImageOptions(
  command: Command,
  names: readonly OptionName[] = OPTION_NAMES,
): Command {
  for (const { name, flags, flag } of flagsOf(names)) {
    const { values } = OPTIONS[name];
    const option = new Option(flags, flag.help);
    if ('words' in values && flag.means === undefined)
      option.choices([...values.words, ...Object.keys(values.aliases ?? {})]);
    if (flag.implies) option.implies({ [flag.implies]: true });
    if (flag.conflicts) option.conflicts(flag.conflicts);
    command.addOption(option);
  }
  return command;
}

/** The option `--quality` of commands that always have one. */
export const qualityOption = (): Option =>
  new Option('--quality <level>', 'speed against quality').choices(QUALITIES).default('balanced');

/** Returns the options that were given, under the names of the API. @param names of those that the command has */
export function fieldsGiven(
  options: object,
  names: readonly OptionName[] = OPTION_NAMES,
): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const fields = flagsOf(names).flatMap(({ name, flags, flag }) => {
    const value = given[new Option(flags).attributeName()];
    return value === undefined ? [] : [[name, flag.means ?? value]];
  });
  return {
    ...Object.fromEntries(fields),
    ...(typeof given.shadow === 'string' && { shadowOpacityPct: given.shadow }),
  };
}

/** Fields that are given by the flag of another. */
const GIVEN_BY: Readonly<Record<string, OptionName>> = {
  backgroundImage: 'backgroundImageUrl',
  shadowOpacityPct: 'shadow',
};

/** Returns the flag of a field of the API. */
export function flagOf(field: string): string {
  const name = GIVEN_BY[field] ?? (field as OptionName);
  const [flags] = Object.keys(OPTIONS[name]?.flags ?? {});
  return flags?.split(' ')[0] ?? `--${field}`;
}
