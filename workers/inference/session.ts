import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type CatalogModel, ModelError, readWeights } from '../../models/catalog.ts';
import type { Size } from '../../src/imaging/picture.ts';
import type { ChildOptions } from './child-protocol.ts';

type DeviceChoice = ChildOptions['device'];
type Device = Exclude<DeviceChoice, 'auto'>;

interface Loaded {
  model: CatalogModel;
  device: Device;
  /** Why a device that was to be tried first is not in use. */
  fallback?: string | undefined;
}

/** A loaded model, for one image. */
export interface Session extends Loaded {
  /**
   * Runs the model on one input.
   * @param input 1 x 3 x height x width, planar
   * @param size of the input, for a network that takes several; by default the square of the catalogue
   * @returns the output the catalogue names, flat
   */
  run(input: Float32Array, size?: Size): Promise<Float32Array>;
}

/** A loaded model, for several images at once. */
export interface LoadedModel extends Loaded {
  /** Whether the network takes more than one input at a time. */
  supportsBatches: boolean;
  /** Like `run` of a session, for each input; more than one only if batches are supported, all of one size. */
  runAll(inputs: readonly Float32Array[], size?: Size): Promise<Float32Array[]>;
}

/** The devices to try, in order. */
const CANDIDATES: Readonly<Record<DeviceChoice, readonly Device[]>> = {
  auto: existsSync('/dev/nvidiactl') ? ['cuda', 'cpu'] : ['cpu'],
  cpu: ['cpu'],
  cuda: ['cuda'],
  webgpu: ['webgpu'],
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Loads a model. A device chosen by name is used or rejected, never replaced by another.
 * @param threads for one run on a CPU
 * @param devices to try, in order
 * @throws ModelError
 */
export async function openSession(
  model: CatalogModel,
  choice: DeviceChoice,
  threads: number,
  devices = CANDIDATES[choice],
): Promise<LoadedModel> {
  const weights = await readWeights(model);
  const errors: unknown[] = [];
  const reasonsSoFar = () => errors.map(messageOf).join('; ');
  for (const device of devices) {
    try {
      const loaded = await load(model, weights, device, threads);
      return errors.length > 0 ? { ...loaded, fallback: reasonsSoFar() } : loaded;
    } catch (error) {
      errors.push(error);
    }
  }
  throw new ModelError(`DEVICE=${choice} cannot run ${model.id} here: ${reasonsSoFar()}`);
}

/** Joins several inputs into one tensor's data; a single one is not copied. */
function concatInputs(inputs: readonly Float32Array[]): Float32Array {
  const [first] = inputs;
  if (first && inputs.length === 1) return first;
  const all = new Float32Array(inputs.length * (first?.length ?? 0));
  inputs.forEach((input, i) => void all.set(input, i * input.length));
  return all;
}

/** Splits the output of a batch into one view for each image. */
const splitOutputs = (all: Float32Array, count: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    all.subarray((i * all.length) / count, ((i + 1) * all.length) / count),
  );

async function load(
  model: CatalogModel,
  weights: Uint8Array,
  device: Device,
  threads: number,
): Promise<LoadedModel> {
  const session = await InferenceSession.create(weights, {
    executionProviders: [device],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that spin between runs take the cores from the other children.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  const square = { width: model.input.size, height: model.input.size };
  const inputName = model.input.name ?? session.inputNames[0];
  const outputName = model.output.name ?? session.outputNames[0];
  if (!inputName || !outputName) throw new ModelError(`${model.id} has no input or no output`);
  const metadata = session.inputMetadata.find(({ name }) => name === inputName);
  return {
    model,
    device,
    // A dynamic dimension has a name instead of a number.
    supportsBatches: metadata?.isTensor === true && typeof metadata.shape[0] === 'string',
    async runAll(inputs, { width, height } = square) {
      const tensor = new Tensor('float32', concatInputs(inputs), [inputs.length, 3, height, width]);
      const output = (await session.run({ [inputName]: tensor }, [outputName]))[outputName];
      if (!(output?.data instanceof Float32Array))
        throw new ModelError(`The output of ${model.id} is not float32`);
      return splitOutputs(output.data, inputs.length);
    },
  };
}

/** The output for one input of a run, and how many inputs ran together. */
interface BatchedOutput<O> {
  output: O;
  batchSize: number;
}

interface QueuedInput<I, O> {
  input: I;
  resolve(result: BatchedOutput<O>): void;
  reject(error: unknown): void;
}

/**
 * Runs inputs that arrive together as one batch. There is one run at a time; it starts when the batch is full, when no
 * other image is in flight, or when the first input has waited for the delay.
 * @param runAll returns one output for each input, `maxSize` at most
 * @param inFlight images in progress, whose input has arrived or may still come
 */
export function createMicroBatcher<I, O>(
  runAll: (inputs: readonly I[]) => Promise<O[]>,
  batch: { maxSize: number; delayMillis: number; inFlight(): number },
): (input: I) => Promise<BatchedOutput<O>> {
  const queue: QueuedInput<I, O>[] = [];
  let running = false;
  let delay: NodeJS.Timeout | undefined;

  async function run(queued: readonly QueuedInput<I, O>[]): Promise<void> {
    try {
      const outputs = await runAll(queued.map(({ input }) => input));
      if (outputs.length !== queued.length) throw new Error('Outputs and inputs differ in number');
      outputs.forEach((output, i) => void queued[i]?.resolve({ output, batchSize: queued.length }));
    } catch (error) {
      for (const { reject } of queued) reject(error);
    }
  }
  /** Runs all queued inputs, including those that arrive meanwhile: they have waited for a whole run. */
  async function drainQueue(): Promise<void> {
    clearTimeout(delay);
    delay = undefined;
    if (running) return;
    running = true;
    while (queue.length > 0) await run(queue.splice(0, batch.maxSize));
    running = false;
  }
  return (input) =>
    new Promise((resolve, reject) => {
      queue.push({ input, resolve, reject });
      if (queue.length >= Math.min(batch.maxSize, batch.inFlight())) void drainQueue();
      else delay ??= setTimeout(drainQueue, batch.delayMillis);
    });
}
