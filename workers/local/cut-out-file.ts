import { readFile, stat, writeFile } from 'node:fs/promises';
import type { LocalNews, LocalOrder } from '../../src/jobs/local.ts';
import { Problem } from '../../src/problem.ts';
import { type InboxLimits, measureImage } from '../../src/store/inbox.ts';
import type { CutOut, CutOutOrder } from '../engine/cut-out.ts';
import { type Engine, EngineCrash, Undecodable } from '../engine/pool.ts';

/** What cutting out files is built of. */
export interface LocalParts {
  engine: Engine;
  limits: InboxLimits;
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

async function readImage(file: string, { limits, maxBytes }: LocalParts): Promise<Uint8Array> {
  const { size } = await stat(file);
  if (size > maxBytes) {
    throw new Problem(
      'payload-too-large',
      `The image has ${size} bytes; at most ${maxBytes} are taken`,
    );
  }
  return measureImage(await readFile(file), limits).bytes;
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
export async function cutOutFile(parts: LocalParts, order: LocalOrder): Promise<LocalNews> {
  const { engine } = parts;
  const { id, input, output, options } = order;
  try {
    const image = await readImage(input, parts);
    const background =
      order.background === undefined ? undefined : await readImage(order.background, parts);
    const { file, confidence } = await cutOutTwice(engine, image, { options, background });
    await writeFile(output, file);
    const model = `${engine.model.id}@${engine.model.version}`;
    return { id, done: { bytes: file.length, model, confidence } };
  } catch (error) {
    const { type, detail } = problemOf(error);
    return { id, problem: { type, detail } };
  }
}
