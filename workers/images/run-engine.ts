import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import { isQuarantined, type Quarantine } from '../../src/queue/quarantine.ts';
import type { TurnOwner } from '../../src/queue/turns.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import { DecodeError, type Engine, EngineCrash, type PermitRequest } from '../inference/pool.ts';
import type { WorkerServices } from '../worker-services.ts';

export type ImageServices = Pick<WorkerServices, 'blobs' | 'engine' | 'quarantine'>;

/** One image, what it is to become, and whose turn at the engine it takes. */
export interface ImageTask extends TurnOwner {
  image: Uint8Array;
  /** Crashes of the engine are counted under it, hex. */
  sha256: string;
  options?: CutOutOptions | undefined;
  /** Behind the subject. */
  background?: Pick<ValidatedImage, 'bytes' | 'sha256'> | undefined;
  /** With the subject `garment`: the region to take if the image shows one of its garments. */
  region?: Region | undefined;
  /** Whether a client waits for the response. */
  isAwaited?: boolean;
}

/** What the engine has made of an image: facts, and files. */
interface Made<T> {
  facts: T;
  files: Uint8Array[];
  timings: object;
}

/** What the engine is to make of an image; see operations.ts. */
export type EngineOperation<T> = (
  engine: Engine,
  task: ImageTask,
  permit: PermitRequest,
) => Promise<Made<T>>;

const quarantined = () =>
  new Problem(
    'upstream-failed',
    'The model failed on this image again and again; it is not tried again today',
  );

/** Converts an error of the engine to a problem, unless another attempt may help. */
async function toProblem(error: unknown, key: string, quarantine: Quarantine): Promise<unknown> {
  if (error instanceof DecodeError) {
    return new Problem('invalid-request', `The image ${error.message}`);
  }
  if (!(error instanceof EngineCrash)) return error;
  return (await quarantine.recordCrash(key, error.mayLackMemory)) ? quarantined() : error;
}

/** The key under which crashes are counted. It includes the background, which may be the cause. */
const crashKeyOf = ({ sha256, background }: ImageTask): string =>
  background ? `${sha256}-${background.sha256}` : sha256;

/**
 * Runs an operation of the engine on an image, unless the image is in quarantine. Adds milliseconds by step.
 * @param crashes how often the image has crashed the engine, if that is read already
 * @throws Problem if the image cannot be processed; EngineCrash if another attempt may help
 */
export async function runEngine<T>(
  { engine, quarantine }: Pick<ImageServices, 'engine' | 'quarantine'>,
  operation: EngineOperation<T>,
  task: ImageTask,
  signal: AbortSignal,
  crashes?: Promise<number>,
): Promise<Omit<Made<T>, 'timings'> & { millis: Record<string, number> }> {
  const key = crashKeyOf(task);
  const previousCrashes = await (crashes ?? quarantine.crashes(key));
  if (isQuarantined(previousCrashes)) throw quarantined();
  const { client, weight, isAwaited } = task;
  const priority = isAwaited ? 'now' : 'later';
  const permit = { signal, priority, owner: { client, weight } } as const;
  const { timings, ...made } = await operation(engine, task, permit).catch(async (error) => {
    throw await toProblem(error, key, quarantine);
  });
  if (previousCrashes > 0) await quarantine.clear(key);
  return { ...made, millis: stepsOf(timings) };
}

/** `decodeMillis` -> `decode`; the total becomes `engine`. */
const stepsOf = (timings: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(timings).map(([name, millis]) => [
      name === 'totalMillis' ? 'engine' : name.replace(/Millis$/, ''),
      millis,
    ]),
  );
