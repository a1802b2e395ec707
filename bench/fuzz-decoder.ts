import { Command } from 'commander';
import { MAX_SIDE_PIXELS, validateImage } from '../src/intake/validate-image.ts';
import { Problem } from '../src/platform/problem.ts';
import { createRandom } from '../test/faults/random.ts';
import {
  craftImages,
  damageImage,
  drawValidImages,
  type MaliciousImage,
} from '../test/hostile/malicious-images.ts';
import { DecodeError, type Engine, startEngine } from '../workers/inference/pool.ts';

const LIMITS = { maxPixels: 4_000_000, maxSidePixels: MAX_SIDE_PIXELS };
const SLOTS = 2;

type Outcome = 'cut out' | 'rejected by the header check' | 'rejected by the decoder';

/** Processes an image as the service does. Rejects with unexpected errors. */
async function processImage(engine: Engine, { bytes }: MaliciousImage): Promise<Outcome> {
  try {
    validateImage(bytes, LIMITS);
  } catch (error) {
    if (error instanceof Problem) return 'rejected by the header check';
    throw error;
  }
  try {
    await engine.removeBackground(bytes);
    return 'cut out';
  } catch (error) {
    if (error instanceof DecodeError) return 'rejected by the decoder';
    throw error;
  }
}

async function fuzzDecoder(count: number, seed: number): Promise<void> {
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: SLOTS,
    modelsHome: 'models',
    maxPixels: LIMITS.maxPixels,
  });
  const pidsBefore = engine.pids().join();
  const sound = await drawValidImages();
  const random = createRandom(seed);
  const outcomes: Record<Outcome, number> = {
    'cut out': 0,
    'rejected by the header check': 0,
    'rejected by the decoder': 0,
  };
  let errors = 0;
  function* pictures(): Generator<[at: number, MaliciousImage]> {
    for (let at = 0; at < count; at++) yield [at, damageImage(sound, random)];
  }
  const remaining = pictures();
  const work = async (picture: MaliciousImage, name: string) => {
    try {
      outcomes[await processImage(engine, picture)] += 1;
    } catch (error) {
      errors += 1;
      console.log(`${name} (${picture.what}): ${error}`);
    }
  };
  for (const picture of await craftImages(sound)) await work(picture, 'crafted');
  const lane = async () => {
    for (const [at, picture] of remaining) await work(picture, `image ${at}`);
  };
  await Promise.all(Array.from({ length: SLOTS }, lane));
  const isSame = engine.pids().join() === pidsBefore;
  await engine.close();
  console.log(`${count} damaged images, seed ${seed}:`, outcomes);
  console.log(`${errors} errors; ${isSame ? 'no child crashed' : 'CHILDREN CRASHED'}`);
  if (errors > 0 || !isSame) process.exitCode = 1;
}

/** Sends damaged images to real inference children. `argv` are the arguments after `decoder`. */
export async function run(argv: readonly string[]): Promise<void> {
  const command = new Command('decoder')
    .description('Sends damaged images to real inference children.')
    .option('--count <n>', 'number of images', '2000')
    .option('--seed <n>', 'the same seed damages the same images', '1')
    .action(({ count, seed }: Record<'count' | 'seed', string>) =>
      fuzzDecoder(Number(count), Number(seed)),
    );
  await command.parseAsync([...argv], { from: 'user' });
}
