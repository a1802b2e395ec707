import { Problem } from '../src/platform/problem.ts';
import { isQuarantined, type Quarantine } from '../src/queue/quarantine.ts';
import type { TurnOwner } from '../src/queue/turns.ts';
import { DecodeError, EngineCrash, type PermitRequest } from './inference/pool.ts';
import type { WorkerServices } from './worker-services.ts';

/** What processors of images use. */
export type ImageServices = Pick<WorkerServices, 'blobs' | 'engine' | 'quarantine'>;

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

interface ImageInput {
  image: Uint8Array;
  /** See `crashKeyOf`. */
  crashKey: string;
  /** Whose turn at the engine it takes. */
  owner: TurnOwner;
  /** How often it has crashed the engine, if that is read already. */
  crashes?: Promise<number> | undefined;
}

/** Returns the key under which crashes are counted. It includes the background, which may be the cause. */
export const crashKeyOf = (sha256: string, background: { sha256: string } | undefined): string =>
  background ? `${sha256}-${background.sha256}` : sha256;

/** An operation of the engine. */
type EngineOperation<T> = (image: Uint8Array, permit: PermitRequest) => Promise<T>;
type Timed = { timings: { totalMillis: number } };
interface ImageOutput<T> {
  output: T;
  /** Milliseconds by step. */
  millis: Record<string, number>;
}

/**
 * Runs an operation of the engine on an image, unless the image is in quarantine.
 * @param priority `now` if a client waits for the response
 * @throws Problem if the image cannot be processed; EngineCrash if another attempt may help
 */
export async function processImage<T extends Timed>(
  { quarantine }: Pick<ImageServices, 'quarantine'>,
  { image, crashKey, owner, crashes = quarantine.crashes(crashKey) }: ImageInput,
  operation: EngineOperation<T>,
  signal: AbortSignal,
  priority: PermitRequest['priority'] = 'later',
): Promise<ImageOutput<T>> {
  const previousCrashes = await crashes;
  if (isQuarantined(previousCrashes)) throw quarantined();
  const output = await operation(image, { signal, priority, owner }).catch(async (error) => {
    throw await toProblem(error, crashKey, quarantine);
  });
  if (previousCrashes > 0) await quarantine.clear(crashKey);
  return { output, millis: stepsOf(output.timings) };
}

/** Reads the image of a waiting request and processes it. Throws like `processImage`. */
export async function processStoredImage<T extends Timed>(
  services: ImageServices,
  { inputKey, sha256, client, weight }: TurnOwner & { inputKey: string; sha256: string },
  operation: EngineOperation<T>,
  signal: AbortSignal,
): Promise<ImageOutput<T>> {
  const startedAt = performance.now();
  const image = await services.blobs.get(inputKey, signal);
  const fetch = performance.now() - startedAt;
  const input = { image, crashKey: sha256, owner: { client, weight } };
  const { output, millis } = await processImage(services, input, operation, signal, 'now');
  return { output, millis: { fetch, ...millis } };
}

/** `decodeMillis` -> `decode`; the total becomes `engine`. */
const stepsOf = (timings: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(timings).map(([name, millis]) => [
      name === 'totalMillis' ? 'engine' : name.replace(/Millis$/, ''),
      millis,
    ]),
  );
