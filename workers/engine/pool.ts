import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Tinypool } from 'tinypool';
import { z } from 'zod';
import type { CutOut } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import type { DeviceChoice } from './session.ts';
import { type ChildOptions, OPTIONS_VARIABLE, type Task, type Warm } from './task.ts';
import { createTurns } from './turns.ts';
import { Undecodable } from './undecodable.ts';

export { Undecodable };

/** The child died under this picture; trying again may help. */
export class EngineCrash extends Error {}

export interface EngineOptions {
  /** A catalogue id: the model that finds the subject. */
  model: string;
  device: DeviceChoice;
  /** Pictures worked on at once, each in a process of its own. */
  slots: number;
  maxPixels: number;
  /** Where pulled and the operator's own models are. */
  modelsHome: string;
}

export interface Engine {
  readonly model: { id: string; version: string };
  /** What was taken: `cpu`, `cuda` or `webgpu`. */
  readonly device: string;
  /**
   * Cuts the subject out of a picture.
   * @param signal ends the waiting at once; a picture that already has its turn is finished and
   *   dropped, since native code cannot be stopped without losing the loaded model
   * @throws Undecodable, EngineCrash, the signal's reason
   */
  removeBackground(image: Uint8Array, signal?: AbortSignal): Promise<CutOut>;
  /** Looks at a garment: its class and colours. As `removeBackground` otherwise. */
  viewGarment(image: Uint8Array, signal?: AbortSignal): Promise<GarmentView>;
  /** The children alive now. */
  pids(): number[];
  close(): Promise<void>;
}

/** A child that takes so long hangs in native code: it is killed, or its slot would be lost for ever. */
const HANG_MILLIS = 120_000;

/** What a child may know of its surroundings: nothing secret, since it decodes what strangers send. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|LANG|LC_\w+|NODE_ENV|LD_LIBRARY_PATH|CUDA\w*|NVIDIA\w*|TSX\w*)$/;

function childEnvironment(options: ChildOptions): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    VIPS_BLOCK_UNTRUSTED: '1',
    // Large buffers of many threads would be scattered over many arenas of glibc and never given back.
    MALLOC_ARENA_MAX: '2',
    // onnxruntime sends figures of its use to its maker unless told not to.
    ORT_DISABLE_TELEMETRY: '1',
    [OPTIONS_VARIABLE]: JSON.stringify(options),
  };
}

/** `child.ts` beside this file, run by tsx as this one is; or `child.js` where both were compiled. */
const EXTENSION = extname(import.meta.url);
const CHILD = new URL(`./child${EXTENSION}`, import.meta.url).href;
const typeScriptLoader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** What a child tells of an error it caught. */
const Told = z.object({ name: z.string(), message: z.string() });

/** Errors a child caught come back as plain objects; an `Error` is the pool's own: the child is gone. */
function readError(error: unknown): Error {
  if (error instanceof Error)
    return new EngineCrash('The inference process died', { cause: error });
  const { name, message } = Told.parse(error);
  return name === 'Undecodable' ? new Undecodable(message) : new Error(message);
}

/** Rejects with the signal's reason as soon as it aborts, whatever the work does. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/**
 * Starts the children and resolves when each has loaded the model and run it once.
 * @throws where the model cannot be loaded or the device is not there
 */
export async function startEngine({ slots, ...options }: EngineOptions): Promise<Engine> {
  const threads = Math.max(1, Math.floor(availableParallelism() / slots));
  const pool = new Tinypool({
    filename: CHILD,
    name: 'work',
    runtime: 'child_process',
    serialization: 'advanced',
    minThreads: slots,
    maxThreads: slots,
    execArgv: EXTENSION === '.ts' ? ['--import', typeScriptLoader()] : [],
    env: childEnvironment({ ...options, threads }),
  });
  const run = async <T>(task: Task): Promise<T> => {
    // Not AbortSignal.timeout: the pool's listener would hold the picture until it fires.
    const hang = new AbortController();
    const timer = setTimeout(() => hang.abort(), HANG_MILLIS);
    try {
      return await pool.run(task, { signal: hang.signal });
    } catch (error) {
      throw readError(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const warmUp = () =>
    Promise.all(Array.from({ length: slots }, () => run<Warm>({ kind: 'warm' })));

  // A child that dies while it starts is not replaced before the next task comes, so one is sent.
  let closing = false;
  pool.on('error', () => {
    if (!closing) warmUp().catch(() => {});
  });
  const [first] = await warmUp().catch(async (error) => {
    closing = true;
    await pool.destroy();
    throw error;
  });
  if (!first) throw new Error('An engine needs at least one slot');

  const turns = createTurns(slots);
  /** One picture's turn; given back when the child is done, even where nobody waits any more. */
  async function inTurn<T>(task: Task, signal: AbortSignal | undefined): Promise<T> {
    await turns.take(signal);
    if (signal?.aborted) {
      turns.give();
      throw signal.reason;
    }
    const done = run<T>(task).finally(turns.give);
    return unlessAborted(done, signal);
  }
  return {
    ...first,
    removeBackground: (image, signal) => inTurn({ kind: 'cut-out', image }, signal),
    viewGarment: (image, signal) => inTurn({ kind: 'view', image }, signal),
    pids: () => pool.threads.map((worker) => Number(worker.threadId)),
    async close() {
      closing = true;
      await pool.destroy();
    },
  };
}
