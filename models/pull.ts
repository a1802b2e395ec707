import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { type CatalogModel, findModel, ModelError, readCatalog } from './catalog.ts';
import { download, isPulled } from './download.ts';

/** Exit codes: all is there; something failed; asked wrongly (commander uses it too); Ctrl-C. */
const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 };

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
const modelsHome = () => resolve(process.env.SELVAGE_HOME || '.selvage', 'models');

/** Refusals that no second try mends. */
class UsageError extends Error {}

function checkLicence(model: CatalogModel, accepted: boolean): void {
  if (!model.nonCommercial || accepted) return;
  throw new UsageError(
    `${model.id} is licensed as ${model.licence}, for non-commercial use (${model.origin}).\n` +
      'Read the licence; add --accept-licence if it fits what you do.',
  );
}

async function printList(models: readonly CatalogModel[], json: boolean): Promise<void> {
  const rows = await Promise.all(
    models.map(async (model) => ({
      id: model.id,
      version: model.version,
      task: model.task,
      bytes: model.bytes,
      licence: model.licence,
      nonCommercial: model.nonCommercial,
      ready: await isPulled(model),
    })),
  );
  if (json) return console.log(JSON.stringify(rows));
  const wide = Math.max(...rows.map(({ id }) => id.length));
  for (const { id, bytes, task, licence, nonCommercial, ready } of rows) {
    const limits = nonCommercial ? ' (non-commercial)' : '';
    console.log(
      `${ready ? '*' : ' '} ${id.padEnd(wide)}  ${megabytes(bytes).padStart(6)} MB  ${task.padEnd(14)}  ${licence}${limits}`,
    );
  }
  console.log('\n* is there. MODEL=<id> chooses what cuts out.');
}

/** Pulls one model, with a bar where somebody watches. Returns what happened, for `--json`. */
async function pull(model: CatalogModel, signal: AbortSignal, quiet: boolean) {
  const say = (text: string) => quiet || console.error(text);
  if (await isPulled(model)) {
    say(`${model.id} is there.`);
    return { id: model.id, pulled: false };
  }
  say(`${model.id}: ${megabytes(model.bytes)} MB, ${model.licence}, from ${model.url}`);
  const bar = new SingleBar({
    format: '{bar} {percentage} %  {megabytes} MB  {duration_formatted}',
    stream: process.stderr,
    hideCursor: true,
  });
  const isWatched = !quiet && process.stderr.isTTY;
  if (isWatched) bar.start(model.bytes, 0, { megabytes: '0' });
  try {
    await download(model, {
      signal,
      onProgress: (bytes) => bar.update(bytes, { megabytes: megabytes(bytes) }),
    });
  } finally {
    bar.stop();
  }
  say(`${model.id} is there, checked by sha256.`);
  return { id: model.id, pulled: true };
}

interface Flags {
  list?: true;
  acceptLicence?: true;
  json?: true;
}

async function run(ids: string[], { list, acceptLicence, json }: Flags): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const catalog = readCatalog(modelsHome());
  if (list || ids.length === 0) return printList(catalog, json === true);
  const models = ids.map((id) => findModel(catalog, id));
  for (const model of models) checkLicence(model, acceptLicence === true);
  const results = [];
  for (const model of models) results.push(await pull(model, interrupted.signal, json === true));
  if (json) console.log(JSON.stringify(results));
}

function explain(error: unknown): number {
  if (error instanceof Error && error.name === 'AbortError') {
    console.error('Interrupted; the same command goes on where it stopped.');
    return EXIT.interrupted;
  }
  if (!(error instanceof ModelError || error instanceof UsageError)) throw error;
  console.error(error.message);
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

await new Command('models:pull')
  .description('Downloads models by name into $SELVAGE_HOME/models, resumable, checked by sha256.')
  .argument('[ids...]', 'which models; without any: the list')
  .option('--list', 'what there is, and what is there already')
  .option('--accept-licence', 'for weights whose licence allows non-commercial use only')
  .option('--json', 'answer as JSON on standard output')
  .addHelpText(
    'after',
    '\nCtrl-C keeps what has come; the same command goes on.' +
      '\nExit codes: 0 all there, 1 failed, 2 asked wrongly or licence not accepted, 130 interrupted.' +
      '\nModels of your own: describe them in $SELVAGE_HOME/models/catalog.json (see models/README.md).',
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage))
  .action(async (ids: string[], flags: Flags) => {
    process.exitCode = await run(ids, flags).then(() => EXIT.done, explain);
  })
  .parseAsync();
