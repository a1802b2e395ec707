import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { findModel, readCatalog } from '../models/catalog.ts';
import { estimateConfidence, measureEvidence } from '../src/imaging/evidence.ts';
import { correctByGround } from '../src/imaging/ground/correct.ts';
import { toMatte } from '../src/imaging/matte.ts';
import { fullBox, toTensor } from '../src/imaging/picture.ts';
import { dropSpecks } from '../src/imaging/regions.ts';
import { correctAlpha, recoverForeground } from '../src/imaging/soft-pixels.ts';
import { drawnShirtOnWood } from '../test/support/images.ts';
import { encodePng, refineEdges } from '../workers/inference/assembly.ts';
import { decode, restrictDecoders, toSquare } from '../workers/inference/codec.ts';
import { cellOf, levelsFor, QUICK_EDGES, REFINED_LOW_LEVEL } from '../workers/inference/cut-out.ts';
import { GC_FLAGS } from '../workers/inference/inference-process.ts';
import { type LoadedModel, openSession } from '../workers/inference/session.ts';
import { median } from './statistics.ts';

const MAX_PIXELS = 100_000_000;
const NETWORK = 'network';

/** Returns the CPU time of this process so far, all threads, ms. */
function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Makes one cut-out, and calls `done` with the name of each step when it ends; returns its size in bytes. */
async function cutStepByStep(
  { model, runAll }: LoadedModel,
  image: Uint8Array,
  done: (step: string) => void,
): Promise<number> {
  const { pixels } = await decode(image, MAX_PIXELS);
  done('decode');
  const square = await toSquare(pixels, model.input.size);
  const tensor = toTensor(square, model.input);
  done('resize and tensor');
  const [data] = await runAll([tensor]);
  done(NETWORK);
  if (!data) throw new Error('The network has no output');
  const probabilities = { data, width: model.input.size, height: model.input.size };
  const confidence = estimateConfidence(probabilities);
  dropSpecks(probabilities);
  done('confidence and specks');
  const view = { map: probabilities, pixels: square, region: fullBox(pixels), image: pixels };
  measureEvidence(view, confidence);
  done('evidence for reviews');
  const matte = toMatte(probabilities, pixels, levelsFor(probabilities, pixels));
  done('matte');
  const scene = { pixels, matte, opacity: undefined };
  correctAlpha(scene);
  done('alpha by colour');
  correctByGround(scene);
  done('even ground');
  const levels = levelsFor(probabilities, pixels, REFINED_LOW_LEVEL);
  refineEdges(pixels, matte, QUICK_EDGES, levels, cellOf(probabilities, pixels));
  done('edges');
  recoverForeground(scene);
  done('foreground colours');
  const png = encodePng(pixels, matte);
  done('PNG');
  return png.length;
}

/** Returns the median CPU time of each step over `rounds`, after as many warm-up rounds. */
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
  { name: '24 megapixels', width: 4000, height: 6000, rounds: 3 },
] as const;

/** Prints the CPU time of each step of a cut-out. */
export async function run(argv: string[]): Promise<void> {
  const { model } = new Command('bench pixels')
    .description('CPU time of each step of a cut-out of drawn images, one thread, in process.')
    .option('--model <id>', 'catalogue model', 'garment-cutout')
    .parse(argv, { from: 'user' })
    .opts<{ model: string }>();
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const images = await Promise.all(
    SIZES.map((size) => drawnShirtOnWood({ ...size, format: 'jpeg' })),
  );
  restrictDecoders();
  GC_FLAGS.forEach(setFlagsFromString);
  const loaded = await openSession(findModel(readCatalog(modelsHome), model), 'cpu', 1);
  for (const [i, { name, rounds }] of SIZES.entries()) {
    const { bytes, steps } = await measure(loaded, images[i]!, rounds);
    const rest = [...steps].reduce((sum, [step, spent]) => sum + (step === NETWORK ? 0 : spent), 0);
    console.log(`\n${name}: all but the network ${rest.toFixed(1)} ms, PNG of ${bytes} bytes`);
    for (const [step, spent] of steps)
      console.log(`  ${step.padEnd(22)} ${spent.toFixed(1).padStart(7)}`);
  }
  console.log(`\npeak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
}
