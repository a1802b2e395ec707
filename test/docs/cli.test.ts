import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { selvageProgram } from '../../src/cli/program.ts';
import { ROOT } from '../support/root.ts';

/** `UPDATE_DOCS=1` writes the list of commands instead of comparing it. */
const UPDATE = Boolean(process.env.UPDATE_DOCS);
const PAGE = join(ROOT, 'docs/cli.md');
const HEAD = '## All commands\n\n';

const program = selvageProgram(new AbortController().signal);

/** `presets put <name> <file>` and what it does, of every command without others below it. */
function rowsOf(command: Command, path = ''): string[] {
  const words = `${path} ${command.name()}`.trim();
  if (command.commands.length > 0) return command.commands.flatMap((one) => rowsOf(one, words));
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [
    `| \`${[words, ...names].join(' ')}\` | ${command.description().replaceAll('|', '\\|')} |`,
  ];
}

test('docs/cli.md lists every command', async () => {
  const rows = program.commands.flatMap((command) => rowsOf(command));
  const list = `| command | purpose |\n|---|---|\n${rows.join('\n')}\n`;
  const page = await readFile(PAGE, 'utf8');
  const [before = '', after = ''] = page.split(HEAD);
  const rest = after.slice(after.search(/^(?!\|)/m));
  const renewed = before + HEAD + list + rest;
  if (UPDATE) await writeFile(PAGE, renewed);
  else expect(page, 'UPDATE_DOCS=1 npx vitest run test/docs/cli.test.ts').toBe(renewed);
});

test('every option that docs/cli.md names is one of a command', async () => {
  const optionsOf = (command: Command): string[] => [
    ...command.options.map(({ long }) => long ?? ''),
    ...command.commands.flatMap(optionsOf),
  ];
  const known = new Set([...optionsOf(program), '--help']);
  const page = await readFile(PAGE, 'utf8');
  const own = page.replaceAll(/^(?!.*selvage).*(python3|npm start).*$/gm, '');
  const named = [...own.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
