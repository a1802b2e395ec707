import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type CatalogModel, ModelError, readWeights } from '../../models/catalog.ts';

export type DeviceChoice = 'auto' | 'cpu' | 'cuda' | 'webgpu';
export type Device = Exclude<DeviceChoice, 'auto'>;

/** A loaded model. */
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
): Promise<Session> {
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

async function load(
  model: CatalogModel,
  weights: Uint8Array,
  device: Device,
  threads: number,
): Promise<Session> {
  const session = await InferenceSession.create(weights, {
    executionProviders: [device],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that spin between runs take the cores from the other children.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  const { size } = model.input;
  const input = model.input.name ?? session.inputNames[0];
  const output = model.output.name ?? session.outputNames[0];
  if (!input || !output) throw new ModelError(`${model.id} has no input or no output`);
  return {
    model,
    device,
    async run(data) {
      const tensor = new Tensor('float32', data, [1, 3, size, size]);
      const answer = (await session.run({ [input]: tensor }, [output]))[output];
      if (!(answer?.data instanceof Float32Array))
        throw new ModelError(`${model.id} gives no floats`);
      return answer.data;
    },
  };
}
