import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { EVAL_FOLDER, hasPhotos, type Photo, readPhotos } from './eval-photos.ts';
import { markdownTable } from './markdown.ts';
import { type Contender, forkProgram, startLauncher } from './peers/contenders.ts';
import { howToInstall, installedVersion, PEER } from './peers/install.ts';
import { type MemoryUse, memoryOf, proportionalBytesOf, residentBytesOf } from './processes.ts';

interface Options {
  peers?: string;
  eval: string;
  limit: number;
  slots: number;
  restSeconds: number;
}

const SAMPLE_MILLIS = 200;
const MEBIBYTE = 2 ** 20;

/** What a process is, by a part of its command line. */
const ROLES = [
  ['redis', 'Redis'],
  ['infra/launcher/', 'launcher'],
  ['src/main.', 'gateway'],
  ['workers/main.', 'worker'],
  ['inference/child.', 'inference child'],
  ['imgly.ts', PEER.name],
  ['esbuild', 'esbuild, which loads the TypeScript of this benchmark'],
] as const;

interface ProcessMemory {
  role: string;
  residentBytes: number;
  proportionalBytes: number | undefined;
}

/** The memory of one program. */
interface Measured {
  name: string;
  /** The highest of the samples while it worked. */
  peak: MemoryUse;
  /** Just after its last cut-out. */
  after: MemoryUse;
  /** After a rest. */
  rested: MemoryUse;
  /** Each process after the rest. */
  processes: ProcessMemory[];
}

async function roleOf(pid: number): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return ROLES.find(([mark]) => command.includes(mark))?.[1] ?? command.replaceAll('\0', ' ');
}

const larger = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);

/** Runs some work and returns the highest memory seen meanwhile. */
async function peakWhile(contender: Contender, work: () => Promise<void>): Promise<MemoryUse> {
  let peak = memoryOf(contender.pids());
  const timer = setInterval(() => {
    const now = memoryOf(contender.pids());
    peak = {
      residentBytes: Math.max(peak.residentBytes, now.residentBytes),
      proportionalBytes: larger(peak.proportionalBytes, now.proportionalBytes),
    };
  }, SAMPLE_MILLIS);
  await work().finally(() => clearInterval(timer));
  return peak;
}

/** Cuts out all photos, some at a time. */
async function cutOutAll(contender: Contender, photos: readonly Photo[], atOnce: number) {
  const waiting = [...photos];
  const lane = async () => {
    for (let photo = waiting.shift(); photo; photo = waiting.shift())
      await contender.cutOut({ file: photo.image, mediaType: 'image/jpeg' });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Measures one program while no other runs: programs that share files would share the count. */
async function measure(
  start: () => Contender | Promise<Contender>,
  atOnce: number,
  photos: readonly Photo[],
  { restSeconds }: Options,
): Promise<Measured> {
  const contender = await start();
  try {
    const peak = await peakWhile(contender, () => cutOutAll(contender, photos, atOnce));
    const after = memoryOf(contender.pids());
    await sleep(restSeconds * 1000);
    const pids = contender.pids();
    const processes = pids.map(async (pid) => ({
      role: await roleOf(pid),
      residentBytes: residentBytesOf(pid),
      proportionalBytes: proportionalBytesOf(pid),
    }));
    return {
      name: contender.name,
      peak,
      after,
      rested: memoryOf(pids),
      processes: await Promise.all(processes),
    };
  } finally {
    await contender.close();
  }
}

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? 'unreadable' : (bytes / MEBIBYTE).toFixed(0);

/** Formats both counts of a memory: shared pages once, and once for each process. */
const counts = ({ proportionalBytes, residentBytes }: MemoryUse | ProcessMemory): string =>
  `${mebibytes(proportionalBytes)} (${mebibytes(residentBytes)})`;

function report(all: readonly Measured[]): string {
  const head = ['MiB, shared pages once (for each process)', 'peak', 'after', 'after a rest'];
  const stages = ['peak', 'after', 'rested'] as const;
  const totals = all.map((measured) => [
    measured.name,
    ...stages.map((stage) => counts(measured[stage])),
  ]);
  const processes = all.flatMap(({ processes }) =>
    processes.map((process) => [process.role, '', '', counts(process)]),
  );
  return markdownTable([head, ...totals, ...processes]);
}

/** Returns the first program's memory by the last one's, shared pages counted once. */
function ratios([ours, peer]: readonly Measured[]): string | undefined {
  if (!ours || !peer) return undefined;
  const ratio = (stage: 'peak' | 'after' | 'rested') => {
    const { proportionalBytes: bytes = Number.NaN } = ours[stage];
    return (bytes / (peer[stage].proportionalBytes ?? Number.NaN)).toFixed(2);
  };
  return `By the peer's: peak ${ratio('peak')}, after ${ratio('after')}, after a rest ${ratio('rested')}`;
}

/** Prints the memory of `npm start`, and of the peer if it is there, each alone. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench memory')
    .description('Memory of `npm start` while and after photos are cut out, and of the peer.')
    .option('--peers <folder>', `folder with ${PEER.name}`)
    .option('--eval <folder>', 'photos with references', EVAL_FOLDER)
    .option('--limit <n>', 'maximum photos per kind', Number, 2)
    .option('--slots <n>', 'inference children of npm start, and removals at a time', Number, 2)
    .option('--rest-seconds <n>', 'rest before the last look at memory', Number, 15)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const { peers, slots } = options;
  const missing = !hasPhotos(options.eval)
    ? `${options.eval} has no manifest.json`
    : peers !== undefined && installedVersion(peers) !== PEER.version && howToInstall(peers);
  if (missing) {
    console.error(missing);
    process.exitCode = 1;
    return;
  }
  const photos = await readPhotos(options.eval, options.limit);
  const scratch = await mkdtemp(join(tmpdir(), 'selvage-memory-'));
  try {
    const name = `npm start, ${slots} slots`;
    const all = [await measure(() => startLauncher(name, slots), slots, photos, options)];
    if (peers !== undefined) {
      const peer = () => forkProgram(PEER.name, 'imgly.ts', { scratch, cwd: resolve(peers) });
      all.push(await measure(peer, 1, photos, options));
    }
    console.log(`${photos.length} photos\n\n${report(all)}`);
    if (all.length > 1) console.log(`\n${ratios(all)}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
