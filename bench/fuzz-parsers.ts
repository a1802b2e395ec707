import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { abortOnSignals, EXIT } from '../src/cli/terminal/output.ts';
import { bytesOf, type Target } from '../test/fuzz/target.ts';
import { isTargetName, TARGETS, type TargetName } from '../test/fuzz/targets.ts';
import { markdownTable } from './markdown.ts';

interface Options {
  only?: string[];
  runs: number;
  seed: number;
  keep: string;
  node: string;
  json: boolean;
}

/** The progress in libFuzzer's status lines. */
interface Progress {
  inputs: number;
  inputsPerSecond: number;
  /** Edges of the code that were covered. */
  coverage: number;
  /** Inputs in the corpus, each with a different coverage. */
  corpus: number;
}

interface Outcome extends Progress {
  target: TargetName;
  /** Files with the failing inputs. */
  findings: string[];
  /** The first error that the fuzzer reported. */
  error?: string;
}

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_SECONDS = 5;
const MEMORY_MB = 1024;
const REPORT_MILLIS = 10_000;

const names = (text: string): string[] => text.split(',').map((name) => name.trim());

function parse(argv: string[]): Options {
  return new Command('fuzz parsers')
    .description('Runs coverage-guided fuzzing on every parser; exit code 1 if one fails.')
    .option('--only <names>', `comma-separated, of ${Object.keys(TARGETS).join(', ')}`, names)
    .option('--runs <n>', 'inputs per parser', Number, 1_000_000)
    .option('--seed <n>', 'seed of the random inputs', Number, 1)
    .option('--keep <folder>', 'folder of the corpus and the findings', join('.selvage', 'fuzz'))
    .option('--node <command>', 'Node.js for the fuzzing processes', process.execPath)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
}

/** Returns why the fuzzer's native part does not load here, if it does not. */
async function findLoadError(node: string): Promise<string | undefined> {
  const load = ['-e', 'require("@jazzer.js/core")'];
  const failed = await promisify(execFile)(node, load, { cwd: ROOT }).then(
    () => undefined,
    (error: Error) => error,
  );
  if (!failed) return undefined;
  const reason = /^(?:\w*Error|Error \[.*): (.*)$/m.exec(failed.message)?.[1] ?? failed.message;
  return `jazzer.js cannot be loaded here (on Linux it needs glibc 2.38 or newer): ${reason}`;
}

/** Formats a dictionary for libFuzzer. */
const formatDictionary = (words: Target['dictionary']): string =>
  words
    .map((word) => Buffer.from(word, /[^\0-\xff]/.test(word) ? 'utf8' : 'latin1'))
    .map((bytes) => `"${bytes.toString('hex').replaceAll(/../g, '\\x$&')}"\n`)
    .join('');

/** Prepares the folder of a target. */
async function prepare(
  folder: string,
  { seeds, regressions: found, dictionary: words }: Target,
): Promise<void> {
  await rm(join(folder, 'seeds'), { recursive: true, force: true });
  for (const part of ['seeds', 'corpus', 'found'])
    await mkdir(join(folder, part), { recursive: true });
  for (const [i, input] of [...seeds, ...found].entries())
    await writeFile(join(folder, 'seeds', String(i)), bytesOf(input));
  await writeFile(join(folder, 'words'), formatDictionary(words));
}

const STATUS = /^#(\d+)\s.*\bcov: (\d+) .*\bcorp: (\d+)\/.*\bexec\/s: (\d+)/;

function parseStatus(line: string): Progress | undefined {
  const [, ...figures] = STATUS.exec(line) ?? [];
  const [inputs, coverage, corpus, inputsPerSecond] = figures.map(Number);
  return inputs === undefined
    ? undefined
    : { inputs, inputsPerSecond: inputsPerSecond!, coverage: coverage!, corpus: corpus! };
}

/** Creates a function that reports progress: continuously on a terminal, otherwise every 10 s. */
function createReporter(target: TargetName, runs: number) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return ({ inputs, inputsPerSecond, coverage }: Progress): void => {
    const every = process.stderr.isTTY ? 200 : REPORT_MILLIS;
    if (performance.now() - reportedAt < every) return;
    reportedAt = performance.now();
    const text = `${target}: ${inputs} of ${runs} inputs, ${inputsPerSecond}/s, coverage ${coverage}`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  };
}

const childArguments = (target: TargetName, folder: string, { runs, seed }: Options): string[] => [
  '--import',
  'tsx',
  join(ROOT, 'test', 'fuzz', 'child.ts'),
  target,
  join(folder, 'corpus'),
  join(folder, 'seeds'),
  `-dict=${join(folder, 'words')}`,
  `-runs=${runs}`,
  `-seed=${seed}`,
  `-max_len=${TARGETS[target].maxBytes}`,
  `-timeout=${TIMEOUT_SECONDS}`,
  `-rss_limit_mb=${MEMORY_MB}`,
  `-artifact_prefix=${join(folder, 'found')}/`,
];

async function fuzz(target: TargetName, options: Options, signal: AbortSignal): Promise<Outcome> {
  const folder = join(options.keep, target);
  await prepare(folder, await TARGETS[target].load());
  const before = await readdir(join(folder, 'found'));
  const report = createReporter(target, options.runs);
  const child = spawn(options.node, childArguments(target, folder, options), {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  signal.addEventListener('abort', () => child.kill('SIGINT'));
  let progress: Progress = { inputs: 0, inputsPerSecond: 0, coverage: 0, corpus: 0 };
  let error: string | undefined;
  for await (const line of createInterface(child.stderr)) {
    error ??= /^==\d+== (?:Uncaught Exception: |ERROR: )(.*)/.exec(line)?.[1];
    const update = parseStatus(line);
    if (!update) continue;
    progress = update;
    report(update);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const after = await readdir(join(folder, 'found'));
  const findings = after
    .filter((name) => !before.includes(name))
    .map((name) => join(folder, 'found', name));
  if (child.exitCode !== 0 && !signal.aborted) error ??= `exited with ${child.exitCode}`;
  return { target, ...progress, findings, ...(error !== undefined && { error }) };
}

const table = (outcomes: readonly Outcome[]): string =>
  markdownTable([
    ['parser', 'input', 'inputs', 'inputs/s', 'edges', 'corpus', 'findings'],
    ...outcomes.map(({ target, inputs, inputsPerSecond, coverage, corpus, findings, error }) => [
      target,
      TARGETS[target].description,
      ...[inputs, inputsPerSecond, coverage, corpus].map((figure) => figure.toLocaleString('en')),
      error ? `${error} ${findings.join(' ')}` : 'none',
    ]),
  ]);

/** Fuzzes the parsers one after the other, each in its own process. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const selected = options.only ?? Object.keys(TARGETS);
  const unknown = selected.find((name) => !isTargetName(name));
  const problem = unknown ? `There is no parser ${unknown}` : await findLoadError(options.node);
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
    return;
  }
  const signal = abortOnSignals();
  const outcomes: Outcome[] = [];
  for (const target of selected.filter(isTargetName)) {
    if (signal.aborted) break;
    outcomes.push(await fuzz(target, options, signal));
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(options.json ? JSON.stringify(outcomes, undefined, 2) : table(outcomes));
  if (signal.aborted) process.exitCode = EXIT.interrupted;
  else if (outcomes.some(({ error }) => error !== undefined)) process.exitCode = 1;
}
