import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { EVAL_FOLDER, readPhotos } from './eval-photos.ts';
import { type Contender, forked, service } from './peers/contenders.ts';
import { howToInstall, PEER, versionIn } from './peers/install.ts';
import { formsTable } from './peers/judge-forms.ts';
import { costTable, qualityTable } from './peers/tables.ts';
import { cutAndCount, newTally, type Tally } from './peers/tally.ts';

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
  const pulled = join(process.env.SELVAGE_HOME || '.selvage', 'models', 'u2netp.onnx');
  return new Command('bench peers')
    .description(
      `Cut-outs of this project beside those of ${PEER.name} ${PEER.version} and of a plain pipeline, in one run.`,
    )
    .requiredOption('--peers <folder>', `where ${PEER.name} is installed`)
    .option('--u2netp <file>', 'weights of the plain pipeline, 320 x 320', pulled)
    .option('--eval <folder>', 'photos with references', EVAL_FOLDER)
    .option('--limit <n>', 'photos of each kind at most', Number, 12)
    .option('--rounds <n>', 'over all photos', Number, 2)
    .option('--no-service', 'leave out gateway, worker and Redis')
    .option('--no-forms', 'leave out colour types and orientations')
    .parse(argv, { from: 'user' })
    .opts<Options>();
}

/** What is missing, in words that say what to do about it. */
function missing({ peers, u2netp, eval: folder }: Options): string | undefined {
  if (versionIn(peers) !== PEER.version) return howToInstall(peers);
  if (!existsSync(u2netp))
    return `There are no weights in ${u2netp}: npm run models:pull -- u2netp`;
  if (!existsSync(join(folder, 'manifest.json'))) return `${folder} has no manifest.json`;
  return undefined;
}

async function contendersOf(options: Options, scratch: string): Promise<Contender[]> {
  const whole = options.service ? [await service(SELVAGE_SERVICE)] : [];
  return [
    forked(SELVAGE, 'selvage.ts', { scratch }),
    ...whole,
    forked(PLAIN, 'plain.ts', { scratch, args: [resolve(options.u2netp)] }),
    forked(PEER.name, 'imgly.ts', { scratch, cwd: resolve(options.peers) }),
  ];
}

/** One photo after the other, one contender after the other; each begins equally often. */
async function measure(tallies: readonly Tally[], { eval: folder, limit, rounds }: Options) {
  const photos = await readPhotos(folder, limit);
  const [first] = photos;
  for (const { contender } of tallies)
    if (first) await contender.cut({ file: first.image, mediaType: 'image/jpeg' });
  for (let round = 0; round < rounds; round++)
    for (const [n, photo] of photos.entries()) {
      console.error(`round ${round + 1} of ${rounds}, photo ${n + 1} of ${photos.length}`);
      for (let i = 0; i < tallies.length; i++) {
        const tally = tallies[(round + n + i) % tallies.length];
        if (tally) await cutAndCount(tally, photo, round === 0);
      }
    }
}

/** Prints this project and others side by side, as docs/performance.md shows it. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const fault = missing(options);
  if (fault !== undefined) {
    console.error(fault);
    process.exitCode = 1;
    return;
  }
  const scratch = await mkdtemp(join(tmpdir(), 'selvage-peers-'));
  const contenders = await contendersOf(options, scratch);
  try {
    const tallies = contenders.map(newTally);
    await measure(tallies, options);
    const peer = tallies.find(({ contender }) => contender.name === PEER.name);
    if (!peer) throw new Error('no peer');
    console.log(`${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}\n`);
    console.log(`${costTable(tallies, peer)}\n\n${qualityTable(tallies)}`);
    if (options.forms) console.log(`\n${await formsTable(contenders, scratch)}`);
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
    await rm(scratch, { recursive: true, force: true });
  }
}
