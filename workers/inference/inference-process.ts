import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The child died while it worked on this image; trying again may help. */
export class EngineCrash extends Error {
  /** The signal that ended it, if one did. */
  readonly signal: NodeJS.Signals | undefined;
  /** Whether it was killed because it hung, or sent what nobody can read. */
  readonly wasStuck: boolean = false;
  /** Images the child worked on: any of them may be the cause. */
  readonly images: number = 0;

  /** @param details how it ended, as far as it is known; `cause` is the end of its error output */
  constructor(
    message: string,
    {
      cause,
      ...details
    }: Partial<Pick<EngineCrash, 'signal' | 'wasStuck' | 'images' | 'cause'>> = {},
  ) {
    super(message, { cause });
    Object.assign(this, details);
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

/** One child, from its start to its end. */
export class InferenceProcess {
  readonly pid: number | undefined;
  /** Resolves when the model is loaded. Rejects with StartError or EngineCrash. */
  readonly ready: Promise<ChildReady>;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #hangMillis: number;
  readonly #crash: Promise<EngineCrash>;
  readonly #pending = new Map<number, PendingRequest>();
  #lastId = START_ID;
  #isStuck = false;

  /**
   * Starts a child.
   * @param hangMillis a child that takes longer for one task, or for its start, hangs in native code
   *   and is killed
   * @throws EngineCrash if no process can be created
   */
  constructor(options: ChildOptions, hangMillis: number) {
    this.#child = spawnChild(options);
    this.pid = this.#child.pid;
    this.#hangMillis = hangMillis;
    this.#crash = this.#untilExit(forwardOutput(this.#child));
    const socket = this.#child.stdio[SOCKET_FD];
    if (!(socket instanceof Socket)) throw new EngineCrash('No inference process can be started');
    this.#socket = socket;
    const reader = new FrameReader(this.#onFrame);
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        this.killStuck();
      }
    });
    // The socket of a dead child fails; the end of the process is what counts.
    socket.on('error', () => {});
    this.exited = this.#crash.then((crash) => {
      for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(crash);
    });
    this.ready = this.#wait(START_ID).then(({ result }) => ChildReady.parse(result));
  }

  /** Resolves when the child has ended and all its output was read, with how it ended. */
  #untilExit(errorOutput: () => string): Promise<EngineCrash> {
    return new Promise((resolve) => {
      const onEnd = (reason: unknown, signal?: NodeJS.Signals) => {
        const [wasStuck, images] = [this.#isStuck, this.#pending.size];
        const details = { wasStuck, images, signal, cause: errorOutput() || undefined };
        resolve(new EngineCrash(`The inference process died (${reason})`, details));
      };
      this.#child.once('error', (error) => onEnd(error));
      this.#child.once('close', (code, signal) =>
        onEnd(signal ?? `exit code ${code}`, signal ?? undefined),
      );
    });
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.#pending.get(id);
    clearTimeout(request?.timeout);
    this.#pending.delete(id);
    return request;
  }

  #wait(id: number): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(this.killStuck, this.#hangMillis);
      this.#pending.set(id, { resolve, reject, timeout });
    });
  }

  /** Throws if the frame is not a response. */
  readonly #onFrame = ({ header, body: bytes }: Frame): void => {
    const response = ChildResponse.parse(header);
    const request = this.#take(response.id);
    if ('error' in response) request?.reject(readError(response.id, response.error));
    else request?.resolve({ result: response.result, bytes, batchSize: response.batchSize });
  };

  isAlive(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Rejects with DecodeError, Problem or EngineCrash. */
  async run(request: TaskRequest, image: Uint8Array): Promise<TaskOutput> {
    if (!this.isAlive()) throw await this.#crash;
    const header: ChildRequest = { ...request, id: ++this.#lastId };
    writeFrame(this.#socket, header, image);
    return this.#wait(header.id);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Kills it because of its own work, so that the kernel is not suspected. */
  readonly killStuck = (): void => {
    this.#isStuck = true;
    this.kill();
  };
}

export interface Task {
  request: TaskRequest;
  image: Uint8Array;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

interface Suspect extends Task {
  resolve(output: TaskOutput): void;
  reject(error: unknown): void;
}

/**
 * The tasks of a child that died while it worked on several images: each may be the cause, and most are not. A new child
 * tries them one at a time before it takes others, so that only the task that was alone in a child that dies is blamed.
 */
export class Suspects {
  readonly #queue: Suspect[] = [];
  #closed: Error | undefined;

  /** Resolves when a new child has done the task. Rejects with what it threw alone. */
  add(task: Task): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(this.#closed);
      else this.#queue.push({ ...task, resolve, reject });
    });
  }

  /** Tries all tasks in a process that has no other work; those that are left when it dies wait for the next one. */
  async tryIn(process: Pick<InferenceProcess, 'isAlive' | 'run'>): Promise<void> {
    while (process.isAlive()) {
      const task = this.#queue.shift();
      if (!task) return;
      if (task.signal?.aborted) task.reject(task.signal.reason);
      else await process.run(task.request, task.image).then(task.resolve, task.reject);
    }
  }

  /** Rejects all waiting and all future tasks. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const { reject } of this.#queue.splice(0)) reject(reason);
  }
}

/** After this many deaths in a row during the start, the first start fails. */
const MAX_START_ATTEMPTS = 4;
const FIRST_BACKOFF_MILLIS = 100;
const MAX_BACKOFF_MILLIS = 5000;

/** The first death causes no delay. */
const backoffMillis = (deaths: number): number =>
  deaths < 2 ? 0 : Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** (deaths - 2));

/**
 * Keeps a process alive: one that dies is replaced at once, one that dies during its start after an exponential
 * backoff.
 * @param onReady called for each process that is ready
 * @param onExit called for each process that was ready and died
 */
export function superviseProcess(
  start: () => InferenceProcess,
  onReady: (process: InferenceProcess, ready: ChildReady) => void,
  onExit: (process: InferenceProcess) => void,
) {
  let current: InferenceProcess | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  async function supervise(
    resolve: (ready: ChildReady) => void,
    reject: (error: unknown) => void,
  ): Promise<void> {
    let hasStarted = false;
    for (let deaths = 0; !signal.aborted; ) {
      try {
        const process = start();
        current = process;
        const ready = await process.ready;
        hasStarted = true;
        deaths = 0;
        resolve(ready);
        onReady(process, ready);
        await process.exited;
        onExit(process);
      } catch (error) {
        deaths++;
        current?.kill();
        await current?.exited;
        const isHopeless = error instanceof StartError || deaths === MAX_START_ATTEMPTS;
        if (!hasStarted && isHopeless) return reject(error);
        await sleep(backoffMillis(deaths), undefined, { signal }).catch(() => {});
      }
    }
    reject(new Error('The engine is closed'));
  }

  let supervision: Promise<void> | undefined;
  const ready = new Promise<ChildReady>((resolve, reject) => {
    supervision = supervise(resolve, reject);
  });
  return {
    /** Resolves when the first process is ready. Rejects if none can be started. */
    ready,
    /** The live process, if any. */
    pids: () => (current?.pid !== undefined && current.isAlive() ? [current.pid] : []),
    async close(): Promise<void> {
      closing.abort();
      current?.kill();
      await supervision;
    },
  };
}
