import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { EVAL_FOLDER } from './eval-photos.ts';
import { pairedLines } from './paired-lines.ts';
import { median } from './statistics.ts';

const ROOT = join(import.meta.dirname, '..');

/** Both use the same photos and models. */
const ENVIRONMENT = {
  ...process.env,
  SELVAGE_EVAL: resolve(ROOT, EVAL_FOLDER),
  SELVAGE_HOME: resolve(ROOT, process.env.SELVAGE_HOME || '.selvage'),
};

/** Extracts a commit's files into a temporary folder, with the packages that are installed here. */
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

/** Prints the lines of another benchmark with the medians of an earlier commit and of this tree. */
export async function run(argv: string[]): Promise<void> {
  const command = new Command('bench compare')
    .description('Alternates another benchmark between an earlier commit and this tree.')
    .requiredOption('--with <commit>', 'the earlier commit')
    .option('--rounds <n>', 'runs of each', Number, 3)
    .argument('<bench...>', 'its name and options, after --')
    .parse(argv, { from: 'user' });
  const { with: commit, rounds } = command.opts<{ with: string; rounds: number }>();
  const before = checkOut(commit);
  const folders = [before, ROOT];
  const outputs = folders.map((): string[] => []);
  try {
    for (let round = 0; round < rounds; round++)
      // The order alternates: neither has the warmer machine.
      for (const which of round % 2 === 0 ? [0, 1] : [1, 0])
        outputs[which]?.push(runBench(folders[which] ?? ROOT, command.args));
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
  const [old = [], now = []] = outputs;
  console.log(`${commit} → now, medians of ${rounds}\n`);
  for (const line of pairedLines(old, now, median)) console.log(line);
}
