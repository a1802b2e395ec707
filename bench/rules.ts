import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { EVAL_FOLDER, hasPhotos, readPhotos } from './eval-photos.ts';
import { FAULTS } from './rules/faults.ts';
import { MAX_PIXELS } from './rules/judge.ts';
import { readSubject } from './rules/subject.ts';
import { measureClean, measureFaults } from './rules/tables.ts';

const startNetwork = (): Promise<Engine> =>
  startEngine({
    model: 'garment-cutout',
    device: 'auto',
    slots: 1,
    maxPixels: MAX_PIXELS,
    modelsHome: resolve(process.env.SELVAGE_HOME || '.selvage', 'models'),
  });

/** Plants faults into pictures of a shop, and measures which are found and made right. */
export async function run(argv: string[]): Promise<void> {
  const {
    eval: folder,
    count,
    out,
    exact,
    fault,
  } = new Command('bench rules')
    .description('Faults planted into pictures of a shop: found, false alarms, and made right.')
    .option('--eval <folder>', 'photos of a shop on white, with references', EVAL_FOLDER)
    .option('--count <n>', 'pictures of each fault', Number, 50)
    .addOption(
      new Option('--fault <name>', 'plants only this fault').choices(
        FAULTS.map(({ name }) => name),
      ),
    )
    .option('--out <folder>', 'writes the pictures there, to look at')
    .option('--exact', 'uses the reference mattes, not the network: quick', false)
    .parse(argv, { from: 'user' })
    .opts<{ eval: string; count: number; out?: string; exact: boolean; fault?: string }>();
  const photos = hasPhotos(folder) ? await readPhotos(folder) : [];
  const read = await Promise.all(
    photos.filter(({ kind }) => kind.startsWith('store')).map(readSubject),
  );
  const subjects = read.filter((subject) => subject !== undefined);
  if (subjects.length === 0) {
    console.log(`Nothing is measured: ${folder} has no photos of the kind "store".`);
    return;
  }
  const engine = exact ? undefined : await startNetwork();
  try {
    const measured = { engine, subjects, count, fault, out };
    if (fault === undefined) await measureClean(measured);
    await measureFaults(measured);
  } finally {
    await engine?.close();
  }
}
