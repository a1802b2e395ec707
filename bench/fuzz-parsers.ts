import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { EXIT } from '../src/cli/terminal/exit.ts';
import { heedInterrupts } from '../src/cli/terminal/interrupt.ts';
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

/** Where libFuzzer stands, as its status lines say. */
interface Standing {
  inputs: number;
  inputsPerSecond: number;
  /** Edges of the code that were gone through. */
  coverage: number;
  /** Inputs kept, each of which goes another way. */
  corpus: number;
}

interface Outcome extends Standing {
  target: TargetName;
  /** Files with the inputs that broke something. */
  findings: string[];
  /** What broke, in the fuzzer's words. */
  error?: string;
}

const ROOT = join(import.meta.dirname, '..');
const LONGEST_SECONDS = 5;
const MEMORY_MB = 1024;
const TELL_EVERY_MILLIS = 10_000;

const names = (text: string): string[] => text.split(',').map((name) => name.trim());

function parse(argv: string[]): Options {
  return new Command('fuzz parsers')
    .description('Inputs that coverage guides through every parser; 1 where one of them broke.')
    .option('--only <names>', `of ${Object.keys(TARGETS).join(', ')}`, names)
    .option('--runs <n>', 'inputs for each parser', Number, 1_000_000)
    .option('--seed <n>', 'where chance begins', Number, 1)
    .option('--keep <folder>', 'inputs that were found to matter', join('.selvage', 'fuzz'))
    .option('--node <command>', 'Node for the fuzzing processes', process.execPath)
    .option('--json', 'the figures as JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
}

/** Why the fuzzer's native part does not load here, or nothing. */
async function missing(node: string): Promise<string | undefined> {
  const load = ['-e', 'require("@jazzer.js/core")'];
  const failed = await promisify(execFile)(node, load, { cwd: ROOT }).then(
    () => undefined,
    (error: Error) => error,
  );
  if (!failed) return undefined;
  const reason = /^(?:\w*Error|Error \[.*): (.*)$/m.exec(failed.message)?.[1] ?? failed.message;
  return `jazzer.js cannot be loaded here (on Linux it needs glibc 2.38 or newer): ${reason}`;
}

/** Words as libFuzzer's dictionaries have them. */
const dictionary = (words: Target['words']): string =>
  words
    .map((word) => Buffer.from(word, /[^\0-\xff]/.test(word) ? 'utf8' : 'latin1'))
    .map((bytes) => `"${bytes.toString('hex').replaceAll(/../g, '\\x$&')}"\n`)
    .join('');

/** Lays out the folder that a target is fuzzed in. */
async function prepare(folder: string, { seeds, found, words }: Target): Promise<void> {
  await rm(join(folder, 'seeds'), { recursive: true, force: true });
  for (const part of ['seeds', 'corpus', 'found'])
    await mkdir(join(folder, part), { recursive: true });
  for (const [i, input] of [...seeds, ...found].entries())
    await writeFile(join(folder, 'seeds', String(i)), bytesOf(input));
  await writeFile(join(folder, 'words'), dictionary(words));
}

const STATUS = /^#(\d+)\s.*\bcov: (\d+) .*\bcorp: (\d+)\/.*\bexec\/s: (\d+)/;

function standingIn(line: string): Standing | undefined {
  const [, ...figures] = STATUS.exec(line) ?? [];
  const [inputs, coverage, corpus, inputsPerSecond] = figures.map(Number);
  return inputs === undefined
    ? undefined
    : { inputs, inputsPerSecond: inputsPerSecond!, coverage: coverage!, corpus: corpus! };
}

/** Tells where a target stands: over and over in a terminal, else from time to time. */
function createTeller(target: TargetName, runs: number) {
  let toldAt = 0;
  return ({ inputs, inputsPerSecond, coverage }: Standing): void => {
    const every = process.stderr.isTTY ? 200 : TELL_EVERY_MILLIS;
    if (Date.now() - toldAt < every) return;
    toldAt = Date.now();
    const text = `${target}: ${inputs} of ${runs} inputs, ${inputsPerSecond}/s, coverage ${coverage}`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  };
}

const argumentsOf = (target: TargetName, folder: string, { runs, seed }: Options): string[] => [
  ...['--import', 'tsx', join(ROOT, 'test', 'fuzz', 'child.ts'), target],
  ...[join(folder, 'corpus'), join(folder, 'seeds'), `-dict=${join(folder, 'words')}`],
  ...[`-runs=${runs}`, `-seed=${seed}`, `-max_len=${TARGETS[target].maxBytes}`],
  ...[`-timeout=${LONGEST_SECONDS}`, `-rss_limit_mb=${MEMORY_MB}`],
  `-artifact_prefix=${join(folder, 'found')}/`,
];

async function fuzz(target: TargetName, options: Options, signal: AbortSignal): Promise<Outcome> {
  const folder = join(options.keep, target);
  await prepare(folder, await TARGETS[target].load());
  const before = await readdir(join(folder, 'found'));
  const tell = createTeller(target, options.runs);
  const child = spawn(options.node, argumentsOf(target, folder, options), {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  signal.addEventListener('abort', () => child.kill('SIGINT'));
  let standing: Standing = { inputs: 0, inputsPerSecond: 0, coverage: 0, corpus: 0 };
  let error: string | undefined;
  for await (const line of createInterface(child.stderr)) {
    error ??= /^==\d+== (?:Uncaught Exception: |ERROR: )(.*)/.exec(line)?.[1];
    const now = standingIn(line);
    if (!now) continue;
    standing = now;
    tell(now);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const after = await readdir(join(folder, 'found'));
  const findings = after
    .filter((name) => !before.includes(name))
    .map((name) => join(folder, 'found', name));
  if (child.exitCode !== 0 && !signal.aborted) error ??= `ended with ${child.exitCode}`;
  return { target, ...standing, findings, ...(error !== undefined && { error }) };
}

const table = (outcomes: readonly Outcome[]): string =>
  markdownTable([
    ['parser', 'reads', 'inputs', 'inputs/s', 'edges', 'corpus', 'findings'],
    ...outcomes.map(({ target, inputs, inputsPerSecond, coverage, corpus, findings, error }) => [
      ...[target, TARGETS[target].reads],
      ...[inputs, inputsPerSecond, coverage, corpus].map((figure) => figure.toLocaleString('en')),
      error ? `${error} ${findings.join(' ')}` : 'none',
    ]),
  ]);

/** Fuzzes the parsers one after the other, each in a process of its own. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const wanted = options.only ?? Object.keys(TARGETS);
  const unknown = wanted.find((name) => !isTargetName(name));
  const fault = unknown ? `There is no parser ${unknown}` : await missing(options.node);
  if (fault) {
    console.error(fault);
    process.exitCode = 1;
    return;
  }
  const signal = heedInterrupts();
  const outcomes: Outcome[] = [];
  for (const target of wanted.filter(isTargetName)) {
    if (signal.aborted) break;
    outcomes.push(await fuzz(target, options, signal));
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(options.json ? JSON.stringify(outcomes, undefined, 2) : table(outcomes));
  if (signal.aborted) process.exitCode = EXIT.interrupted;
  else if (outcomes.some(({ error }) => error !== undefined)) process.exitCode = 1;
}
