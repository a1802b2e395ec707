import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { type CatalogModel, findModel, readCatalog } from '../../../models/catalog.ts';
import { download, isPulled } from '../../../models/download.ts';
import { EXIT, type Output, print, say, table, usageError } from '../terminal/output.ts';

interface PullOptions extends Output {
  acceptLicence?: true;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const catalog = (): CatalogModel[] =>
  readCatalog(resolve(process.env.SELVAGE_HOME || '.selvage', 'models'));

async function list(output: Output): Promise<void> {
  const rows = await Promise.all(
    catalog().map(async (model) => {
      const { id, version, task, bytes, licence, codeLicence, trainingData, nonCommercial } = model;
      const terms = { licence, codeLicence, trainingData, nonCommercial };
      return { id, version, task, bytes, ...terms, ready: await isPulled(model) };
    }),
  );
  const cells = rows.map(({ id, task, bytes, licence, nonCommercial, ready }) => [
    ready ? '*' : '',
    id,
    `${megabytes(bytes)} MB`,
    task,
    nonCommercial ? `${licence} (non-commercial)` : licence,
  ]);
  const text = table(['', 'id', 'size', 'task', 'licence'], cells);
  print(output, rows, `${text}\n\n* downloaded. MODEL=<id> chooses the cut-out model.`);
}

function checkLicence({ id, licence, nonCommercial, origin }: CatalogModel, accepted: boolean) {
  if (!nonCommercial || accepted) return;
  throw usageError(
    `${id} is licensed as ${licence}, for non-commercial use (${origin}).\n` +
      'Read the licence; pass --accept-licence if you comply with it.',
  );
}

/** Downloads one model, with a bar on a terminal. Returns the outcome for `--json`. */
async function pullOne(model: CatalogModel, signal: AbortSignal, output: Output) {
  const { id, bytes, licence, codeLicence, trainingData, url } = model;
  if (await isPulled(model)) {
    say(output, `${id} is already downloaded.`);
    return { id, pulled: false };
  }
  const termsOf = (terms = 'not stated') => (terms === 'NOASSERTION' ? 'not stated' : terms);
  say(output, `${id}: ${megabytes(bytes)} MB, from ${url}`);
  say(
    output,
    `  licence of the weights: ${termsOf(licence)}; of the code: ${termsOf(codeLicence)}`,
  );
  say(output, `  trained on: ${termsOf(trainingData)}`);
  const format = '{bar} {percentage} %  {megabytes} MB  {duration_formatted}';
  const bar = new SingleBar({
    format,
    stream: process.stderr,
    hideCursor: true,
    gracefulExit: false,
  });
  if (process.stderr.isTTY && !output.quiet) bar.start(bytes, 0, { megabytes: '0' });
  const onProgress = (done: number) => bar.update(done, { megabytes: megabytes(done) });
  try {
    await download(model, { signal, onProgress });
  } finally {
    bar.stop();
  }
  say(output, `${id} is downloaded and its sha256 verified.`);
  return { id, pulled: true };
}

async function pull(ids: readonly string[], options: PullOptions, signal: AbortSignal) {
  const all = catalog();
  const models = ids.map((id) => findModel(all, id));
  for (const model of models) checkLicence(model, options.acceptLicence === true);
  const results = [];
  for (const model of models) results.push(await pullOne(model, signal, options));
  if (options.json) print(options, results, '');
}

type State = 'whole' | 'altered' | 'missing';

const STATE_TEXTS: Readonly<Record<State, string>> = {
  whole: 'is unaltered: its sha256 matches the catalogue',
  altered: 'differs from the catalogue: download it again',
  missing: 'is not downloaded',
};

async function readState(model: CatalogModel): Promise<State> {
  if (await isPulled(model)) return 'whole';
  return existsSync(join(model.folder, model.file)) ? 'altered' : 'missing';
}

/** Verifies the weights of the named models, or of all that are downloaded. */
async function verify(ids: readonly string[], output: Output): Promise<void> {
  const all = catalog();
  const chosen = ids.length > 0 ? ids.map((id) => findModel(all, id)) : all;
  const states = await Promise.all(
    chosen.map(async (model) => ({ id: model.id, state: await readState(model) })),
  );
  const reported = states.filter(({ state }) => ids.length > 0 || state !== 'missing');
  print(
    output,
    reported,
    reported.map(({ id, state }) => `${id} ${STATE_TEXTS[state]}`).join('\n'),
  );
  if (reported.some(({ state }) => state !== 'whole')) process.exitCode = EXIT.failed;
}

/** `models list|pull|verify` */
export function modelsCommand(signal: AbortSignal): Command {
  const models = new Command('models')
    .description('list, download and verify models')
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage models list\n  $ selvage models pull u2netp\n  $ selvage models verify\n' +
        '\nModels of your own: describe them in $SELVAGE_HOME/models/catalog.json (see models/README.md).',
    );
  models.command('list').description('all models, and which are downloaded').action(list);
  models
    .command('pull')
    .description('download weights and verify their sha256; interrupted downloads resume')
    .argument('<ids...>', 'ids of models')
    .option('--accept-licence', 'accept licences for non-commercial use only')
    .action((ids: string[], options: PullOptions) => pull(ids, options, signal));
  models
    .command('verify')
    .description('verify that weights are complete and unaltered')
    .argument('[ids...]', 'ids of models; by default all that are downloaded')
    .action(verify);
  return models;
}
