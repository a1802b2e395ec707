import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { EVAL_FOLDER } from './eval-photos.ts';
import { median, pairedLines } from './paired-lines.ts';

const ROOT = join(import.meta.dirname, '..');

/** Both are to see the same photos and models, wherever they run. */
const ENVIRONMENT = {
  ...process.env,
  SELVAGE_EVAL: resolve(ROOT, EVAL_FOLDER),
  SELVAGE_HOME: resolve(ROOT, process.env.SELVAGE_HOME || '.selvage'),
};

/** A commit's files in a folder of their own, with the packages that are installed here. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-compare-'));
  const input = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const runBench = (folder: string, bench: readonly string[]): string =>
  execFileSync(process.execPath, ['--import', 'tsx', 'bench/main.ts', ...bench], {
    cwd: folder,
    env: ENVIRONMENT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });

/** Prints another benchmark's lines with the medians of an earlier commit beside those of the tree as it is. */
export async function run(argv: string[]): Promise<void> {
  const command = new Command('bench compare')
    .description('Another benchmark, of an earlier commit and of this tree in turns.')
    .requiredOption('--with <commit>', 'the earlier commit')
    .option('--rounds <n>', 'of both', Number, 3)
    .argument('<bench...>', 'after --: its name and options')
    .parse(argv, { from: 'user' });
  const { with: commit, rounds } = command.opts<{ with: string; rounds: number }>();
  const before = checkOut(commit);
  const folders = [before, ROOT];
  const said = folders.map((): string[] => []);
  try {
    for (let round = 0; round < rounds; round++)
      // Who begins changes, so that neither has the warmer machine.
      for (const which of round % 2 === 0 ? [0, 1] : [1, 0])
        said[which]?.push(runBench(folders[which] ?? ROOT, command.args));
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
  const [old = [], now = []] = said;
  console.log(`${commit} → now, medians of ${rounds}\n`);
  for (const line of pairedLines(old, now, median)) console.log(line);
}
