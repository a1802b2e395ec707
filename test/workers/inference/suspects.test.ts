import { describe, expect, test } from 'vitest';
import {
  EngineCrash,
  type InferenceProcess,
  Suspects,
  type TaskOutput,
} from '../../../workers/inference/inference-process.ts';

const BAD = 66;
const imageOf = (...bytes: number[]) => Uint8Array.of(...bytes);
const taskOf = (byte: number, signal?: AbortSignal) => ({
  request: { task: 'cut-out' as const },
  image: imageOf(byte),
  signal,
});

/** A process that dies of one image, and counts how many it works on at once. */
function createProcess() {
  const seen = { images: [] as number[], atOnce: 0, running: 0 };
  let isAlive = true;
  const inference: Pick<InferenceProcess, 'isAlive' | 'run'> = {
    isAlive: () => isAlive,
    async run(_, image): Promise<TaskOutput> {
      seen.images.push(image[0]!);
      seen.atOnce = Math.max(seen.atOnce, ++seen.running);
      await new Promise(setImmediate);
      seen.running--;
      isAlive = image[0] !== BAD;
      if (!isAlive) throw new EngineCrash('died', { images: 1 });
      return { result: {}, bytes: image, batchSize: 1 };
    },
  };
  return { inference, seen };
}

describe('images of a child that died', () => {
  test('are tried one at a time, and only the one that kills again is blamed', async () => {
    const suspects = new Suspects();
    const outcomes = Promise.allSettled([1, BAD, 3].map((byte) => suspects.add(taskOf(byte))));
    const [second, third] = [createProcess(), createProcess()];
    await suspects.tryIn(second.inference);
    expect(second.seen).toMatchObject({ images: [1, BAD], atOnce: 1 });
    await suspects.tryIn(third.inference);
    expect(third.seen.images).toEqual([3]);
    const expected = ['fulfilled', 'rejected', 'fulfilled'];
    expect((await outcomes).map(({ status }) => status)).toEqual(expected);
  });

  test('that nobody waits for any more are not tried', async () => {
    const suspects = new Suspects();
    const reason = new Error('the client hung up');
    const outcome = expect(suspects.add(taskOf(1, AbortSignal.abort(reason)))).rejects.toBe(reason);
    const { inference, seen } = createProcess();
    await suspects.tryIn(inference);
    await outcome;
    expect(seen.images).toEqual([]);
  });

  test('are rejected when the engine closes', async () => {
    const suspects = new Suspects();
    const reason = new Error('closed');
    const waiting = expect(suspects.add(taskOf(1))).rejects.toBe(reason);
    suspects.close(reason);
    await waiting;
    await expect(suspects.add(taskOf(2))).rejects.toBe(reason);
  });
});
