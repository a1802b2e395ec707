import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type CatalogModel, ModelError, readWeights } from '../../models/catalog.ts';

export type DeviceChoice = 'auto' | 'cpu' | 'cuda' | 'webgpu';
export type Device = Exclude<DeviceChoice, 'auto'>;

/** A loaded model, for one picture. */
export interface Session {
  model: CatalogModel;
  device: Device;
  /**
   * Runs the model on one input.
   * @param input 1 x 3 x size x size, planar
   * @returns the output the catalogue names, flat
   */
  run(input: Float32Array): Promise<Float32Array>;
}

/** A loaded model, for several pictures at once. */
export interface LoadedModel {
  model: CatalogModel;
  device: Device;
  /** Whether its network takes more than one input at a time. */
  takesMany: boolean;
  /** As `run` of a session, for each input; more than one only where it takes many. */
  runAll(inputs: readonly Float32Array[]): Promise<Float32Array[]>;
}

/** On which devices to try, in order. */
const CANDIDATES: Readonly<Record<DeviceChoice, readonly Device[]>> = {
  auto: existsSync('/dev/nvidiactl') ? ['cuda', 'cpu'] : ['cpu'],
  cpu: ['cpu'],
  cuda: ['cuda'],
  webgpu: ['webgpu'],
};

/**
 * Loads a model. A device asked for by name is used or refused, never replaced.
 * @param threads for one run on a CPU
 * @throws ModelError
 */
export async function openSession(
  model: CatalogModel,
  choice: DeviceChoice,
  threads: number,
): Promise<LoadedModel> {
  const weights = await readWeights(model);
  const faults: unknown[] = [];
  for (const device of CANDIDATES[choice]) {
    try {
      return await load(model, weights, device, threads);
    } catch (error) {
      faults.push(error);
    }
  }
  throw new ModelError(
    `DEVICE=${choice} cannot run ${model.id} here: ${faults.map((fault) => (fault instanceof Error ? fault.message : String(fault))).join('; ')}`,
  );
}

/** Several inputs as one; a single one is not copied. */
function joined(inputs: readonly Float32Array[]): Float32Array {
  const [first] = inputs;
  if (first && inputs.length === 1) return first;
  const all = new Float32Array(inputs.reduce((sum, { length }) => sum + length, 0));
  inputs.reduce((at, input) => {
    all.set(input, at);
    return at + input.length;
  }, 0);
  return all;
}

/** An output of `count` pictures, of each its own part. */
const parted = (all: Float32Array, count: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    all.subarray((i * all.length) / count, ((i + 1) * all.length) / count),
  );

const openOn = (weights: Uint8Array, device: Device, threads: number): Promise<InferenceSession> =>
  InferenceSession.create(weights, {
    executionProviders: [device],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that spin between runs take the cores from the other children.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });

async function load(
  model: CatalogModel,
  weights: Uint8Array,
  device: Device,
  threads: number,
): Promise<LoadedModel> {
  const session = await openOn(weights, device, threads);
  const { size } = model.input;
  const input = model.input.name ?? session.inputNames[0];
  const output = model.output.name ?? session.outputNames[0];
  if (!input || !output) throw new ModelError(`${model.id} has no input or no output`);
  const takes = session.inputMetadata.find(({ name }) => name === input);
  return {
    model,
    device,
    // A dimension that may be anything has a name instead of a number.
    takesMany: takes?.isTensor === true && typeof takes.shape[0] === 'string',
    async runAll(inputs) {
      const tensor = new Tensor('float32', joined(inputs), [inputs.length, 3, size, size]);
      const answer = (await session.run({ [input]: tensor }, [output]))[output];
      if (!(answer?.data instanceof Float32Array))
        throw new ModelError(`${model.id} gives no floats`);
      return parted(answer.data, inputs.length);
    },
  };
}
