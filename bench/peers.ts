import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { EVAL_FOLDER, hasPhotos, readPhotos } from './eval-photos.ts';
import { type Contender, forkProgram, startService } from './peers/contenders.ts';
import { fileTypesTable } from './peers/file-types.ts';
import { howToInstall, installedVersion, PEER } from './peers/install.ts';
import { costTable, qualityTable } from './peers/tables.ts';
import { measureCutOut, newTally, type Tally } from './peers/tally.ts';

interface Options {
  peers: string;
  u2netp: string;
  eval: string;
  limit: number;
  rounds: number;
  service: boolean;
  forms: boolean;
}

const SELVAGE = 'Selvage, engine';
const SELVAGE_SERVICE = 'Selvage, whole service';
const PLAIN = 'plain pipeline, U²-Net-p';

function parse(argv: string[]): Options {
  const downloaded = join(process.env.SELVAGE_HOME || '.selvage', 'models', 'u2netp.onnx');
  return new Command('bench peers')
    .description(
      `Compares cut-outs of this project with ${PEER.name} ${PEER.version} and a plain pipeline, in one run.`,
    )
    .requiredOption('--peers <folder>', `folder with ${PEER.name}`)
    .option('--u2netp <file>', 'weights of the plain pipeline, 320 x 320', downloaded)
    .option('--eval <folder>', 'photos with references', EVAL_FOLDER)
    .option('--limit <n>', 'maximum photos per kind', Number, 12)
    .option('--rounds <n>', 'rounds over all photos', Number, 2)
    .option('--no-service', 'leave out gateway, worker and Redis')
    .option('--no-forms', 'leave out colour types and orientations')
    .parse(argv, { from: 'user' })
    .opts<Options>();
}

/** Returns how to get the first thing that is missing, if any. */
function findMissing({ peers, u2netp, eval: folder }: Options): string | undefined {
  if (installedVersion(peers) !== PEER.version) return howToInstall(peers);
  if (!existsSync(u2netp))
    return `There are no weights at ${u2netp}: npm run models:pull -- u2netp`;
  if (!hasPhotos(folder)) return `${folder} has no manifest.json`;
  return undefined;
}

async function startContenders(options: Options, scratch: string): Promise<Contender[]> {
  const wholeService = options.service ? [await startService(SELVAGE_SERVICE)] : [];
  return [
    forkProgram(SELVAGE, 'selvage.ts', { scratch }),
    ...wholeService,
    forkProgram(PLAIN, 'plain.ts', { scratch, args: [resolve(options.u2netp)] }),
    forkProgram(PEER.name, 'imgly.ts', { scratch, cwd: resolve(options.peers) }),
  ];
}

/** Measures photo by photo, one program after the other; each is first equally often. */
async function measure(tallies: readonly Tally[], { eval: folder, limit, rounds }: Options) {
  const photos = await readPhotos(folder, limit);
  const [first] = photos;
  for (const { contender } of tallies)
    if (first) await contender.cutOut({ file: first.image, mediaType: 'image/jpeg' });
  for (let round = 0; round < rounds; round++)
    for (const [n, photo] of photos.entries()) {
      console.error(`round ${round + 1} of ${rounds}, photo ${n + 1} of ${photos.length}`);
      for (let i = 0; i < tallies.length; i++) {
        const tally = tallies[(round + n + i) % tallies.length];
        if (tally) await measureCutOut(tally, photo, round === 0);
      }
    }
}

/** Prints the tables of docs/performance.md that compare this project with others. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const message = findMissing(options);
  if (message !== undefined) {
    console.error(message);
    process.exitCode = 1;
    return;
  }
  const scratch = await mkdtemp(join(tmpdir(), 'selvage-peers-'));
  const contenders = await startContenders(options, scratch);
  try {
    const tallies = contenders.map(newTally);
    await measure(tallies, options);
    const peer = tallies.find(({ contender }) => contender.name === PEER.name);
    if (!peer) throw new Error('no peer');
    console.log(`${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}\n`);
    console.log(`${costTable(tallies, peer)}\n\n${qualityTable(tallies)}`);
    if (options.forms) console.log(`\n${await fileTypesTable(contenders, scratch)}`);
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
    await rm(scratch, { recursive: true, force: true });
  }
}
