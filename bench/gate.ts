import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { type CatalogModel, findModel, readCatalog } from '../models/catalog.ts';
import { EVALUATIONS, type Evaluation } from './gate-scores.ts';
import { type Comparison, compareRows } from './gate-verdict.ts';

type ModelId = keyof typeof EVALUATIONS;

interface Options {
  as: ModelId;
  eval: string;
  inputSize?: number;
  json: boolean;
}

/** `rejected`: the candidate is worse on some kind, or nothing could be measured. */
const EXIT = { passed: 0, rejected: 1, usage: 2 };

/** Returns the entry that a candidate replaces; for the first weights of a model, what one would say. */
function findEntry(models: string, id: ModelId, candidate: string): CatalogModel {
  const catalog = readCatalog(models);
  const { describe }: Evaluation = EVALUATIONS[id];
  const isFirst = catalog.every((model) => model.id !== id);
  return isFirst && describe ? describe(candidate) : findModel(catalog, id);
}

/** Installs a candidate the way an operator replaces one of the project's own networks. */
async function install(
  home: string,
  id: ModelId,
  candidate: string,
  inputSize?: number,
): Promise<void> {
  const models = join(home, '.selvage', 'models');
  await mkdir(models, { recursive: true });
  const { folder: _, ...shipped } = findEntry(models, id, candidate);
  const weights = await readFile(candidate);
  const sha256 = createHash('sha256').update(weights).digest('hex');
  const file = 'candidate.onnx';
  await copyFile(candidate, join(models, file));
  const input = { ...shipped.input, ...(inputSize && { size: inputSize }) };
  const model = { ...shipped, input, version: 'candidate', file, bytes: weights.length, sha256 };
  await writeFile(join(models, 'catalog.json'), JSON.stringify({ models: [model] }));
}

async function measureBoth(candidate: string, options: Options): Promise<Comparison[]> {
  const { as: id, inputSize } = options;
  const photos = resolve(options.eval);
  const { measure, tolerances }: Evaluation = EVALUATIONS[id];
  const home = await mkdtemp(join(tmpdir(), 'selvage-gate-'));
  const [shippedHome, candidateHome] = [join(home, 'shipped'), join(home, 'candidate')];
  try {
    await mkdir(shippedHome);
    await install(candidateHome, id, candidate, inputSize);
    const shipped = await measure(shippedHome, photos);
    return compareRows(shipped, await measure(candidateHome, photos), tolerances);
  } finally {
    process.chdir(tmpdir());
    await rm(home, { recursive: true });
  }
}

// biome-ignore format: a table reads best aligned
const COLUMNS: readonly { head: string; width: number; cell(one: Comparison): string }[] = [
  { head: 'kind',      width: 18, cell: ({ kind }) => kind },
  { head: 'photos',    width: 6,  cell: ({ photos }) => String(photos) },
  { head: 'figure',    width: 17, cell: ({ figure }) => figure },
  { head: 'shipped',   width: 9,  cell: ({ shipped }) => shipped.toFixed(4) },
  { head: 'candidate', width: 9,  cell: ({ candidate }) => candidate.toFixed(4) },
  { head: 'allowed',   width: 7,  cell: ({ allowed }) => allowed.toFixed(4) },
  { head: '',          width: 5,  cell: ({ isWorse }) => (isWorse ? 'WORSE' : '') },
];

function print(rows: readonly Comparison[]): void {
  const line = (cells: readonly string[]) =>
    console.log(
      cells
        .map((cell, i) => cell.padEnd(COLUMNS[i]!.width))
        .join('  ')
        .trimEnd(),
    );
  line(COLUMNS.map(({ head }) => head));
  for (const row of rows) line(COLUMNS.map(({ cell }) => cell(row)));
}

async function run(candidate: string, options: Options): Promise<number> {
  const rows = await measureBoth(resolve(candidate), options);
  if (options.json) console.log(JSON.stringify(rows));
  else print(rows);
  const worse = new Set(rows.filter(({ isWorse }) => isWorse).map(({ kind }) => kind));
  if (rows.length > 0 && worse.size === 0) return EXIT.passed;
  console.error(rows.length ? `Rejected: worse on ${[...worse].join(', ')}` : 'Nothing to measure');
  return EXIT.rejected;
}

await new Command('models:gate')
  .description(
    'Compares candidate weights with the shipped ones on every kind of photo with a reference.',
  )
  .argument('<file>', 'the candidate, ONNX')
  .addOption(
    new Option('--as <name>', 'the model it would replace')
      .choices(Object.keys(EVALUATIONS))
      .makeOptionMandatory(),
  )
  .option('--eval <folder>', 'photos with a manifest.json', join('..', 'shared', 'eval'))
  .option('--input-size <pixels>', 'of the candidate, if not as shipped', Number)
  .option('--json', 'print JSON', false)
  .addHelpText('after', '\nExit codes: 0 passed, 1 rejected, 2 usage error.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.passed : EXIT.usage))
  .action(async (file: string, options: Options) => {
    process.exitCode = await run(file, options);
  })
  .parseAsync();
