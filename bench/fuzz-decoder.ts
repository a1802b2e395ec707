import { Command } from 'commander';
import { MAX_SIDE_PIXELS, validateImage } from '../src/intake/validate-image.ts';
import { Problem } from '../src/platform/problem.ts';
import { createRandom } from '../test/faults/random.ts';
import {
  craftedPictures,
  damagedPicture,
  type Poison,
  soundPictures,
} from '../test/hostile/poison.ts';
import { type Engine, startEngine, Undecodable } from '../workers/inference/pool.ts';

const LIMITS = { maxPixels: 4_000_000, maxSidePixels: MAX_SIDE_PIXELS };
const SLOTS = 2;

type Outcome = 'cut out' | 'refused by its header' | 'refused by the decoder';

/** What becomes of a picture, the way the service takes it. Throws what should not be thrown. */
async function outcomeOf(engine: Engine, { bytes }: Poison): Promise<Outcome> {
  try {
    validateImage(bytes, LIMITS);
  } catch (error) {
    if (error instanceof Problem) return 'refused by its header';
    throw error;
  }
  try {
    await engine.removeBackground(bytes);
    return 'cut out';
  } catch (error) {
    if (error instanceof Undecodable) return 'refused by the decoder';
    throw error;
  }
}

async function fuzzDecoder(count: number, seed: number): Promise<void> {
  const engine = await startEngine({
    ...{ model: 'garment-cutout', device: 'cpu', slots: SLOTS, modelsHome: 'models' },
    maxPixels: LIMITS.maxPixels,
  });
  const before = engine.pids().join();
  const sound = await soundPictures();
  const random = createRandom(seed);
  const seen: Record<Outcome, number> = {
    'cut out': 0,
    'refused by its header': 0,
    'refused by the decoder': 0,
  };
  let faults = 0;
  function* pictures(): Generator<[at: number, Poison]> {
    for (let at = 0; at < count; at++) yield [at, damagedPicture(sound, random)];
  }
  const rest = pictures();
  const work = async (picture: Poison, name: string) => {
    try {
      seen[await outcomeOf(engine, picture)] += 1;
    } catch (error) {
      faults += 1;
      console.log(`${name} (${picture.what}): ${error}`);
    }
  };
  for (const picture of await craftedPictures(sound)) await work(picture, 'made by hand');
  const lane = async () => {
    for (const [at, picture] of rest) await work(picture, `picture ${at}`);
  };
  await Promise.all(Array.from({ length: SLOTS }, lane));
  const isSame = engine.pids().join() === before;
  await engine.close();
  console.log(`${count} damaged pictures, seed ${seed}:`, seen);
  console.log(`${faults} faults; the children are ${isSame ? 'the same' : 'NOT THE SAME'}`);
  if (faults > 0 || !isSame) process.exitCode = 1;
}

/** Damaged pictures against the real inference children. `argv` are the words behind `decoder`. */
export async function run(argv: readonly string[]): Promise<void> {
  const command = new Command('decoder')
    .description('Damaged pictures against the real inference children')
    .option('--count <n>', 'how many', '2000')
    .option('--seed <n>', 'the same seed damages the same pictures', '1')
    .action(({ count, seed }: Record<'count' | 'seed', string>) =>
      fuzzDecoder(Number(count), Number(seed)),
    );
  await command.parseAsync([...argv], { from: 'user' });
}
