import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { type CatalogModel, findModel, readCatalog } from '../../../models/catalog.ts';
import { download, isPulled } from '../../../models/download.ts';
import { EXIT, usageError } from '../terminal/exit.ts';
import { type Output, print, say, table } from '../terminal/output.ts';

interface PullOptions extends Output {
  acceptLicence?: true;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const catalog = (): CatalogModel[] =>
  readCatalog(resolve(process.env.SELVAGE_HOME || '.selvage', 'models'));

async function list(output: Output): Promise<void> {
  const rows = await Promise.all(
    catalog().map(async (model) => {
      const { id, version, task, bytes, licence, nonCommercial } = model;
      return { id, version, task, bytes, licence, nonCommercial, ready: await isPulled(model) };
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
  print(output, rows, `${text}\n\n* is there. MODEL=<id> chooses what cuts out.`);
}

function checkLicence(
  { id, licence, nonCommercial, origin }: CatalogModel,
  accepted: boolean,
): void {
  if (!nonCommercial || accepted) return;
  throw usageError(
    `${id} is licensed as ${licence}, for non-commercial use (${origin}).\n` +
      'Read the licence; add --accept-licence if it fits what you do.',
  );
}

/** Downloads one, with a bar where somebody watches. Returns what happened, for `--json`. */
async function pullOne(model: CatalogModel, signal: AbortSignal, output: Output) {
  const { id, bytes, licence, url } = model;
  if (await isPulled(model)) {
    say(output, `${id} is there.`);
    return { id, pulled: false };
  }
  say(output, `${id}: ${megabytes(bytes)} MB, ${licence}, from ${url}`);
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
  say(output, `${id} is there, checked by sha256.`);
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

const STATE_WORDS: Readonly<Record<State, string>> = {
  whole: 'is whole: its sha256 is that of the catalogue',
  altered: 'is not what the catalogue says: fetch it again',
  missing: 'is not there',
};

async function stateOf(model: CatalogModel): Promise<State> {
  if (await isPulled(model)) return 'whole';
  return existsSync(join(model.folder, model.file)) ? 'altered' : 'missing';
}

/** Looks at the bytes of models: of those that are named, else of all that are there. */
async function verify(ids: readonly string[], output: Output): Promise<void> {
  const all = catalog();
  const chosen = ids.length > 0 ? ids.map((id) => findModel(all, id)) : all;
  const states = await Promise.all(
    chosen.map(async (model) => ({ id: model.id, state: await stateOf(model) })),
  );
  const told = states.filter(({ state }) => ids.length > 0 || state !== 'missing');
  print(output, told, told.map(({ id, state }) => `${id} ${STATE_WORDS[state]}`).join('\n'));
  if (told.some(({ state }) => state !== 'whole')) process.exitCode = EXIT.failed;
}

/** `models list|pull|verify` */
export function modelsCommand(signal: AbortSignal): Command {
  const models = new Command('models')
    .description('models that cut out and classify: which there are, and their weights')
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage models list\n  $ selvage models pull u2netp\n  $ selvage models verify\n' +
        '\nModels of your own: describe them in $SELVAGE_HOME/models/catalog.json (see models/README.md).',
    );
  models.command('list').description('what there is, and what is there already').action(list);
  models
    .command('pull')
    .description('download weights, checked by sha256; Ctrl-C keeps what has come')
    .argument('<ids...>', 'which models')
    .option('--accept-licence', 'also weights whose licence allows non-commercial use only')
    .action((ids: string[], options: PullOptions) => pull(ids, options, signal));
  models
    .command('verify')
    .description('look whether weights are whole and unaltered')
    .argument('[ids...]', 'which models; all that are there')
    .action(verify);
  return models;
}
