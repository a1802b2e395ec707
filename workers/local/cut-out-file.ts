import { readFile, stat, writeFile } from 'node:fs/promises';
import { type ImageLimits, validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { LocalEvent, LocalRequest } from '../../src/queue/local-protocol.ts';
import type { CutOut, CutOutOrder } from '../inference/cut-out.ts';
import { type Engine, EngineCrash, Undecodable } from '../inference/pool.ts';

/** What cutting out files is built of. */
export interface LocalDeps {
  engine: Engine;
  limits: ImageLimits;
  maxBytes: number;
}

/** The same refusals, in the same words, as a gateway and its workers have. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Undecodable) {
    return new Problem(
      'invalid-request',
      'The image cannot be decoded: it is damaged or cut short',
    );
  }
  if (error instanceof EngineCrash) {
    return new Problem('upstream-failed', 'The model failed on this image, twice');
  }
  return new Problem('internal-error', error instanceof Error ? error.message : String(error));
}

async function readImage(file: string, { limits, maxBytes }: LocalDeps): Promise<Uint8Array> {
  const { size } = await stat(file);
  if (size > maxBytes) {
    throw new Problem(
      'payload-too-large',
      `The image has ${size} bytes; at most ${maxBytes} are taken`,
    );
  }
  return validateImage(await readFile(file), limits).bytes;
}

/** A child may die of what came before; once more tells whether it is this image. */
async function cutOutTwice(engine: Engine, image: Uint8Array, order: CutOutOrder): Promise<CutOut> {
  try {
    return await engine.removeBackground(image, {}, order);
  } catch (error) {
    if (!(error instanceof EngineCrash)) throw error;
    return engine.removeBackground(image, {}, order);
  }
}

/** Cuts out one file into another. Never throws: what went wrong is the answer. */
export async function cutOutFile(deps: LocalDeps, order: LocalRequest): Promise<LocalEvent> {
  const { engine } = deps;
  const { id, input, output, options } = order;
  try {
    const image = await readImage(input, deps);
    const background =
      order.background === undefined ? undefined : await readImage(order.background, deps);
    const { file, confidence } = await cutOutTwice(engine, image, { options, background });
    await writeFile(output, file);
    const model = `${engine.model.id}@${engine.model.version}`;
    return { id, done: { bytes: file.length, model, confidence } };
  } catch (error) {
    const { type, detail } = problemOf(error);
    return { id, problem: { type, detail } };
  }
}
