import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageLimits } from '../../src/intake/validate-image.ts';
import { MAX_SIDE_PIXELS, validateImage } from '../../src/intake/validate-image.ts';
import { readConfig } from '../../src/platform/config.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type LocalEvent, LocalRequest } from '../../src/queue/local-protocol.ts';
import type { CutOut } from '../inference/child-results.ts';
import type { CutOutSettings } from '../inference/cut-out.ts';
import { DecodeError, type Engine, EngineCrash, startEngine } from '../inference/pool.ts';

/*
 * Cuts out files without Redis and object storage. Requests and events are messages to and from the parent
 * process; when the parent exits or disconnects, this process exits.
 */

interface LocalDeps {
  engine: Engine;
  limits: ImageLimits;
  maxBytes: number;
}

/** Converts an error to the problem that a gateway and its workers would respond with. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DecodeError)
    return new Problem('invalid-request', `The image ${error.message}`);
  if (error instanceof EngineCrash)
    return new Problem('upstream-failed', 'The model failed on this image, twice');
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
async function cutOutFile(deps: LocalDeps, request: LocalRequest): Promise<LocalEvent> {
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

function send(event: LocalEvent): void {
  if (process.connected) process.send?.(event);
}

let engine: Engine | undefined;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  engine = await startEngine({
    model: config.MODEL,
    device: config.DEVICE,
    slots: config.WORKER_CONCURRENCY,
    maxPixels: config.MAX_IMAGE_PIXELS,
    modelsHome: join(config.SELVAGE_HOME, 'models'),
  });
  const limits = { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS };
  const deps = { engine, limits, maxBytes: config.MAX_IMAGE_BYTES };
  process.on('message', async (message) =>
    send(await cutOutFile(deps, LocalRequest.parse(message))),
  );
  const { id, version } = engine.model;
  const { device, fallback } = engine;
  send({ ready: { model: `${id}@${version}`, device, ...(fallback && { fallback }) } });
}

// Ctrl-C reaches every process of a terminal; the parent decides when this one ends.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});
process.once('disconnect', async () => {
  await engine?.close();
  process.exit();
});

main().catch((error) => {
  send({ refused: error instanceof Error ? error.message : String(error) });
  if (process.connected) process.disconnect();
});
