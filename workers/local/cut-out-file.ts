import { readFile, stat, writeFile } from 'node:fs/promises';
import { type ImageLimits, validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { LocalEvent, LocalRequest } from '../../src/queue/local-protocol.ts';
import type { CutOut } from '../inference/child-results.ts';
import type { CutOutSettings } from '../inference/cut-out.ts';
import { DecodeError, type Engine, EngineCrash } from '../inference/pool.ts';

interface LocalDeps {
  engine: Engine;
  limits: ImageLimits;
  maxBytes: number;
}

/** Converts an error to the problem that a gateway and its workers would respond with. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DecodeError) {
    return new Problem('invalid-request', `The image ${error.message}`);
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
      `The image has ${size} bytes; at most ${maxBytes} are accepted`,
    );
  }
  return validateImage(await readFile(file), limits).bytes;
}

/** Retries once after a crash, which may be due to an earlier image. */
async function removeBackground(
  engine: Engine,
  image: Uint8Array,
  settings: CutOutSettings,
): Promise<CutOut> {
  try {
    return await engine.removeBackground(image, {}, settings);
  } catch (error) {
    if (!(error instanceof EngineCrash)) throw error;
    return engine.removeBackground(image, {}, settings);
  }
}

/** Cuts out one file into another. Never throws: returns the problem. */
export async function cutOutFile(deps: LocalDeps, request: LocalRequest): Promise<LocalEvent> {
  const { engine } = deps;
  const { id, input, output, options } = request;
  try {
    const image = await readImage(input, deps);
    const background =
      request.background === undefined ? undefined : await readImage(request.background, deps);
    const settings = { options, background };
    const { file, confidence, review, rules, alpha } = await removeBackground(
      engine,
      image,
      settings,
    );
    await writeFile(output, file);
    const model = `${engine.model.id}@${engine.model.version}`;
    const info = { bytes: file.length, model, confidence, review };
    return { id, done: { ...info, ...(rules && { rules }), ...(alpha && { alpha }) } };
  } catch (error) {
    const { type, detail } = toProblem(error);
    return { id, problem: { type, detail } };
  }
}
