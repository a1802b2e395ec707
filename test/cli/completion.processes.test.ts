import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMPLETIONS, commandTable } from '../../src/cli/completion.ts';
import { selvageProgram } from '../../src/cli/program.ts';
import { isMissing, isOnPath } from '../support/requirement.ts';
import { useFolder } from '../support/use-folder.ts';

const rows = commandTable(selvageProgram(new AbortController().signal));
const folder = await useFolder();

/** Runs a program in a shell, after the script of completion; returns the lines that it prints. */
function lines(shell: keyof typeof COMPLETIONS, program: string, before = ''): string[] {
  const script = join(folder, `selvage.${shell}`);
  writeFileSync(script, COMPLETIONS[shell](rows));
  const whole = `${before}\nsource ${script}\n${program}`;
  const { stdout, stderr } = spawnSync(shell, ['-c', whole], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

/** How a shell is asked what can follow a line. */
const ASK = {
  bash: (line: string) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return lines(
      'bash',
      `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _selvage; printf '%s\n' "\${COMPREPLY[@]}"`,
    );
  },
  zsh: (line: string) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    // Outside of the line editor there are no builtins of completion.
    const builtins =
      'compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print FILES; }\n' +
      `_describe() { print -l -- \${(P)2%%:*}; }`;
    return lines('zsh', `words=(${words.join(' ')}); CURRENT=${words.length}; _selvage`, builtins);
  },
  fish: (line: string) =>
    lines('fish', `complete -C '${line}'`).map((found) => found.split('\t')[0] ?? ''),
};

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  const ask = ASK[shell];
  const isAbsent = isMissing(`program:${shell}`, isOnPath(shell), `there is no ${shell}`);

  test.skipIf(isAbsent)('completes commands, those below them, options and their values', () => {
    expect(ask('selvage ')).toEqual(
      expect.arrayContaining(['remove', 'feed', 'presets', 'day', 'completion']),
    );
    expect(ask('selvage feed ')).toEqual(expect.arrayContaining(['import', 'export']));
    expect(ask('selvage feed ')).not.toContain('remove');
    expect(ask('selvage presets put --')).toEqual(expect.arrayContaining(['--json', '--server']));
    expect(ask('selvage remove --')).toEqual(expect.arrayContaining(['--background', '--local']));
    const qualities = ['fast', 'balanced', 'high'];
    expect(ask('selvage remove --quality ').sort()).toEqual(qualities.sort());
  });
});

test('every command and option has help, and the table has all of them', () => {
  expect(rows.length).toBeGreaterThan(70);
  for (const { path, about, flags } of rows) {
    expect(about, path).toMatch(/\w/);
    expect(flags.flatMap(({ names }) => names)).toEqual(
      expect.arrayContaining(['--json', '--help']),
    );
    for (const flag of flags) expect(flag.about, `${path} ${flag.names}`).toMatch(/\w/);
  }
});
