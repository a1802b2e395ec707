import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deserializeProblem } from '../../src/platform/problem.ts';
import { StartError } from '../../src/platform/start-error.ts';
import {
  type ChildError,
  type ChildOptions,
  ChildReady,
  type ChildRequest,
  ChildResponse,
  type Frame,
  FrameReader,
  OPTIONS_VARIABLE,
  SOCKET_FD,
  START_ID,
  type TaskRequest,
  writeFrame,
} from './child-protocol.ts';
import { DecodeError } from './files/readable-file.ts';

/**
 * V8 garbage collection options for processes that work on images. Their JavaScript heap is small, but V8 also counts
 * the image buffers outside it. With these options, garbage of twice the live size may accumulate before a full
 * collection, which otherwise may run for most images; and the young generation has 1 MiB instead of 16. `gc` is exposed for
 * a collection in a rest. They save a tenth of a child's memory (270 instead of 300 MiB after fifty images) and no CPU.
 * V8's own collections in a rest are off: they drop what was compiled (docs/adr/0137-code-outlives-a-rest.md).
 */
export const GC_FLAGS = [
  '--heap-growing-percent=200',
  '--max-semi-space-size=1',
  '--expose-gc',
  '--no-memory-reducer',
];

/** How a child ended, as far as it is known. */
interface CrashDetails {
  /** The signal that ended it. */
  signal?: NodeJS.Signals | undefined;
  /** Whether it was killed because it hung, or sent what nobody can read. */
  wasStuck?: boolean;
  /** Images it worked on. */
  images?: number;
  /** The end of its error output. */
  cause?: string | undefined;
}

/** The child died while it worked on this image; trying again may help. */
export class EngineCrash extends Error {
  readonly signal: NodeJS.Signals | undefined;
  readonly wasStuck: boolean;
  /** Images the child worked on: any of them may be the cause. */
  readonly images: number;

  constructor(message: string, { signal, wasStuck = false, images = 0, cause }: CrashDetails = {}) {
    super(message, { cause });
    this.signal = signal;
    this.wasStuck = wasStuck;
    this.images = images;
  }

  /**
   * Whether the kernel may have killed the child for want of memory, which says nothing about the image. The end of
   * its worker looks the same.
   */
  get mayLackMemory(): boolean {
    return this.signal === 'SIGKILL' && !this.wasStuck;
  }
}

/** The result of a task, and a file if the task makes one, else no bytes. */
export interface TaskOutput {
  result: object;
  bytes: Uint8Array;
  /** Images that went through the network together with this one, itself included. */
  batchSize: number;
}

/** Environment variables a child inherits. None is secret, because a child decodes untrusted images. */
const INHERITED =
  /^(PATH|HOME|TMPDIR|LANG|LC_\w+|NODE_ENV|LD_LIBRARY_PATH|CUDA\w*|NVIDIA\w*|TSX\w*)$/;

function childEnvironment(options: ChildOptions): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  return {
    ...Object.fromEntries(inherited),
    VIPS_BLOCK_UNTRUSTED: '1',
    // With many arenas, glibc scatters the large buffers of many threads and never returns the memory.
    MALLOC_ARENA_MAX: '2',
    // Pages of 2 MiB, where the kernel has them on request: the first touch of each page costs two microseconds or more.
    // From 1 MiB on memory is given back at once, or these pages would stay. C libraries but glibc ignore it.
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1048576',
    // onnxruntime sends usage data to its vendor by default.
    ORT_DISABLE_TELEMETRY: '1',
    [OPTIONS_VARIABLE]: JSON.stringify(options),
  };
}

/** `child.ts` next to this file, run by tsx like this one; or `child.js` if both were compiled. */
const EXTENSION = extname(import.meta.url);
const CHILD = fileURLToPath(new URL(`./child${EXTENSION}`, import.meta.url));
const typeScriptLoader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

function spawnChild(options: ChildOptions): ChildProcess {
  const loader = EXTENSION === '.ts' ? ['--import', typeScriptLoader()] : [];
  return spawn(process.execPath, [...GC_FLAGS, ...loader, CHILD], {
    // Its output goes through this process: an orphan that hangs would keep inherited files open.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: childEnvironment(options),
  });
}

/** How much of a child's error output is kept for the error message. */
const MAX_TAIL_CHARACTERS = 2000;

const readError = (id: number, { name, message }: ChildError): Error => {
  if (id === START_ID) return new StartError(message);
  if (name === 'DecodeError') return new DecodeError(message);
  return (name === 'Problem' && deserializeProblem(message)) || new Error(message);
};

interface PendingRequest {
  resolve(output: TaskOutput): void;
  reject(error: Error): void;
  timeout: NodeJS.Timeout;
}

/** Matches the responses of a child to requests. */
class PendingRequests {
  readonly #hangMillis;
  readonly #onHang;
  readonly #pending = new Map<number, PendingRequest>();

  constructor(hangMillis: number, onHang: () => void) {
    this.#hangMillis = hangMillis;
    this.#onHang = onHang;
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.#pending.get(id);
    clearTimeout(request?.timeout);
    this.#pending.delete(id);
    return request;
  }

  wait(id: number): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {
        resolve,
        reject,
        timeout: setTimeout(this.#onHang, this.#hangMillis),
      });
    });
  }

  /** Throws if the frame is not a response. */
  readonly onFrame = ({ header, body }: Frame): void => {
    const response = ChildResponse.parse(header);
    const request = this.#take(response.id);
    if ('error' in response) request?.reject(readError(response.id, response.error));
    else {
      const { result, batchSize } = response;
      request?.resolve({ result, bytes: body, batchSize });
    }
  };

  count() {
    return this.#pending.size;
  }

  readonly rejectAll = (error: Error): void => {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  };
}

/** Forwards the output of a child. Returns a function for the end of its error output. */
function forwardOutput({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  stdout?.on('data', (chunk: Buffer) => void process.stdout.write(chunk));
  stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    tail = (tail + chunk.toString()).slice(-MAX_TAIL_CHARACTERS);
  });
  return () => tail.trim();
}

/** Resolves when a child has ended and all its output was read, with how it ended. */
const untilExit = (
  child: ChildProcess,
  errorOutput: () => string,
  detailsAtEnd: () => Pick<CrashDetails, 'wasStuck' | 'images'>,
): Promise<EngineCrash> =>
  new Promise((resolve) => {
    const onEnd = (reason: unknown, signal?: NodeJS.Signals) => {
      const details = { ...detailsAtEnd(), signal, cause: errorOutput() || undefined };
      resolve(new EngineCrash(`The inference process died (${reason})`, details));
    };
    child.once('error', (error) => onEnd(error));
    child.once('close', (code, signal) =>
      onEnd(signal ?? `exit code ${code}`, signal ?? undefined),
    );
  });

/**
 * Starts a child.
 * @param hangMillis a child that takes longer for one task, or for its start, hangs in native code
 *   and is killed
 * @throws EngineCrash if no process can be created
 */
export function startProcess(options: ChildOptions, hangMillis: number) {
  const child = spawnChild(options);
  const kill = () => void child.kill('SIGKILL');
  let isStuck = false;
  const killStuck = () => {
    isStuck = true;
    kill();
  };
  const pending = new PendingRequests(hangMillis, killStuck);
  const crash = untilExit(child, forwardOutput(child), () => ({
    wasStuck: isStuck,
    images: pending.count(),
  }));
  const socket = child.stdio[SOCKET_FD];
  if (!(socket instanceof Socket)) throw new EngineCrash('No inference process can be started');
  const reader = new FrameReader(pending.onFrame);
  socket.on('data', (chunk) => {
    try {
      reader.push(chunk);
    } catch {
      killStuck();
    }
  });
  // The socket of a dead child fails; the end of the process is what counts.
  socket.on('error', () => {});
  crash.then(pending.rejectAll);
  const isAlive = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  let lastId = START_ID;
  return {
    pid: child.pid,
    isAlive,
    /** Resolves when the model is loaded. Rejects with StartError or EngineCrash. */
    ready: pending.wait(START_ID).then(({ result }) => ChildReady.parse(result)),
    /** Resolves when the process has ended. */
    exited: crash.then(() => {}),
    /** Rejects with DecodeError, Problem or EngineCrash. */
    async run(request: TaskRequest, image: Uint8Array): Promise<TaskOutput> {
      if (!isAlive()) throw await crash;
      const header: ChildRequest = { ...request, id: ++lastId };
      writeFrame(socket, header, image);
      return pending.wait(header.id);
    },
    kill,
    /** Kills it because of its own work, so that the kernel is not suspected. */
    killStuck,
  };
}

/** One child, from its start to its end. */
export type InferenceProcess = ReturnType<typeof startProcess>;
