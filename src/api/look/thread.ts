import { workerData } from 'node:worker_threads';
import { Problem, serializeProblem } from '../../platform/problem.ts';
import { OutfitEngine } from './compute.ts';
import type { ThreadData, ThreadResult, ThreadTask } from './thread-protocol.ts';

/** Set by the pool that started this thread. */
const { signingKeys } = workerData as ThreadData;
const engine = new OutfitEngine(signingKeys);

/** Computes one response. Problems are returned: an error that crosses threads loses its fields. */
export function runTask({ name, body, preferred }: ThreadTask): ThreadResult {
  try {
    const { content, ...language } = engine.compute(name, body, preferred);
    return { json: JSON.stringify(content), ...language };
  } catch (error) {
    if (error instanceof Problem) return { problem: serializeProblem(error) };
    throw error;
  }
}
