import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { findModel, readCatalog } from '../models/catalog.ts';
import { certaintyOf } from '../src/imaging/confidence.ts';
import { recoverForeground } from '../src/imaging/foreground.ts';
import { matteOf } from '../src/imaging/matte.ts';
import { dropSpecks } from '../src/imaging/specks.ts';
import { toTensor } from '../src/imaging/tensor.ts';
import { drawnShirtOnWood } from '../test/support/images.ts';
import { decode, lockDown, toSquare } from '../workers/inference/codec.ts';
import { encodePng } from '../workers/inference/png.ts';
import { type LoadedModel, openSession } from '../workers/inference/session.ts';
import { LEVELS } from '../workers/inference/subject.ts';
import { COLLECTING } from '../workers/inference/v8-flags.ts';

const MAX_PIXELS = 100_000_000;
const NETWORK = 'network';

/** CPU time of this process so far, all threads, ms. */
function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** One cut-out; hands the name of each step to `done` when it ends. */
async function cutStepByStep(
  { model, runAll }: LoadedModel,
  image: Uint8Array,
  done: (step: string) => void,
): Promise<number> {
  const { pixels } = await decode(image, MAX_PIXELS);
  done('decode');
  const tensor = toTensor(await toSquare(pixels, model.input.size), model.input);
  done('square and tensor');
  const [data] = await runAll([tensor]);
  done(NETWORK);
  if (!data) throw new Error('The network gives nothing');
  certaintyOf(data);
  const seen = { data, width: model.input.size, height: model.input.size };
  dropSpecks(seen);
  done('confidence and specks');
  const matte = matteOf(seen, pixels, LEVELS);
  done('matte');
  recoverForeground(pixels, matte);
  done('foreground colours');
  const png = await encodePng(pixels, matte);
  done('PNG');
  return png.length;
}

/** Medians of the CPU time of each step, over `rounds` after as many that warm up. */
async function measure(loaded: LoadedModel, image: Uint8Array, rounds: number) {
  const steps = new Map<string, number[]>();
  let bytes = 0;
  for (let round = 0; round < 2 * rounds; round++) {
    let since = cpuMillis();
    bytes = await cutStepByStep(loaded, image, (step) => {
      const now = cpuMillis();
      const spent = steps.get(step) ?? [];
      if (round >= rounds) spent.push(now - since);
      steps.set(step, spent);
      since = cpuMillis();
    });
  }
  return { bytes, steps: new Map([...steps].map(([step, spent]) => [step, median(spent)])) };
}

const SIZES = [
  { name: '800 px', width: 800, height: 800, rounds: 25 },
  { name: '12 megapixels', width: 4000, height: 3000, rounds: 5 },
] as const;

/** Prints what each step of a cut-out costs, in CPU time. */
export async function run(argv: string[]): Promise<void> {
  const { model } = new Command('bench pixels')
    .description('CPU time of each step of a cut-out, one thread, in process; pictures are drawn.')
    .option('--model <id>', 'catalogue model', 'garment-cutout')
    .parse(argv, { from: 'user' })
    .opts<{ model: string }>();
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const images = await Promise.all(
    SIZES.map((size) => drawnShirtOnWood({ ...size, format: 'jpeg' })),
  );
  lockDown();
  COLLECTING.forEach(setFlagsFromString);
  const loaded = await openSession(findModel(readCatalog(modelsHome), model), 'cpu', 1);
  for (const [i, { name, rounds }] of SIZES.entries()) {
    const { bytes, steps } = await measure(loaded, images[i]!, rounds);
    const rest = [...steps].reduce((sum, [step, spent]) => sum + (step === NETWORK ? 0 : spent), 0);
    console.log(`\n${name}: all but the network ${rest.toFixed(1)} ms, PNG of ${bytes} bytes`);
    for (const [step, spent] of steps)
      console.log(`  ${step.padEnd(22)} ${spent.toFixed(1).padStart(7)}`);
  }
  console.log(`\npeak resident ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
}
