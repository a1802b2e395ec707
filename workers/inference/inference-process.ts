import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deserializeProblem } from '../../src/queue/serialized-problem.ts';
import {
  type Asked,
  type ChildOptions,
  type Fault,
  OPTIONS_VARIABLE,
  type Order,
  SOCKET_FD,
  START_ID,
  Told,
  Warm,
} from './child-protocol.ts';
import { createFrameReader, type Frame, writeFrame } from './frames.ts';
import { Undecodable } from './undecodable.ts';
import { COLLECTING } from './v8-flags.ts';

/** The child died under this picture; trying again may help. */
export class EngineCrash extends Error {}

/** The child said why it cannot start; trying again does not help. */
export class CannotStart extends Error {}

/** What a child answers: words, and a PNG where there is one, else nothing. */
export interface Answer {
  words: object;
  bytes: Uint8Array;
  /** Pictures that went through the network together with this one, itself included. */
  batchSize: number;
}

/** One child, as long as it lives. */
export interface InferenceProcess {
  readonly pid: number | undefined;
  isAlive(): boolean;
  /** Resolves when the model is loaded. Rejects with CannotStart or EngineCrash. */
  readonly warm: Promise<Warm>;
  /** Resolves when the process is no more. */
  readonly gone: Promise<void>;
  /** Throws Undecodable, Problem, EngineCrash. */
  run(order: Order, image: Uint8Array): Promise<Answer>;
  kill(): void;
}

/** What a child may know of its surroundings: nothing secret, since it decodes what strangers send. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|LANG|LC_\w+|NODE_ENV|LD_LIBRARY_PATH|CUDA\w*|NVIDIA\w*|TSX\w*)$/;

function childEnvironment(options: ChildOptions): Record<string, string | undefined> {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    ...Object.fromEntries(passed),
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
const CHILD = fileURLToPath(new URL(`./child${EXTENSION}`, import.meta.url));
const typeScriptLoader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

function spawnChild(options: ChildOptions): ChildProcess {
  const loader = EXTENSION === '.ts' ? ['--import', typeScriptLoader()] : [];
  return spawn(process.execPath, [...COLLECTING, ...loader, CHILD], {
    // Its output goes through this process: an orphan that hangs would keep open what it inherits.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: childEnvironment(options),
  });
}

/** How much of what a child says of errors is kept. */
const TAIL_CHARACTERS = 2000;

const readFault = (id: number, { name, message }: Fault): Error => {
  if (id === START_ID) return new CannotStart(message);
  if (name === 'Undecodable') return new Undecodable(message);
  return (name === 'Problem' && deserializeProblem(message)) || new Error(message);
};

interface Waiter {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  hang: NodeJS.Timeout;
}

/** Who waits for which answer of a child. */
function createWaiters(hangMillis: number, hangs: () => void) {
  const waiters = new Map<number, Waiter>();
  const take = (id: number): Waiter | undefined => {
    const waiter = waiters.get(id);
    clearTimeout(waiter?.hang);
    waiters.delete(id);
    return waiter;
  };
  return {
    wait: (id: number): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiters.set(id, { resolve, reject, hang: setTimeout(hangs, hangMillis) });
      }),
    /** Throws where it is no answer. */
    hear({ words, bytes }: Frame): void {
      const told = Told.parse(words);
      const waiter = take(told.id);
      if ('fault' in told) waiter?.reject(readFault(told.id, told.fault));
      else waiter?.resolve({ words: told.done, bytes, batchSize: told.batchSize });
    },
    rejectAll(error: Error): void {
      for (const id of [...waiters.keys()]) take(id)?.reject(error);
    },
  };
}

/** Passes on what a child says. Returns the end of what it said of errors. */
function passOn({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  stdout?.on('data', (chunk: Buffer) => void process.stdout.write(chunk));
  stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    tail = (tail + chunk.toString()).slice(-TAIL_CHARACTERS);
  });
  return () => tail.trim();
}

/** Resolves when a child is no more and all it said was read; tells how it ended. */
const ended = (child: ChildProcess, said: () => string): Promise<EngineCrash> =>
  new Promise((resolve) => {
    const end = (how: unknown) =>
      resolve(
        new EngineCrash(`The inference process died (${how})`, { cause: said() || undefined }),
      );
    child.once('error', end);
    child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
  });

/**
 * Starts a child.
 * @param hangMillis a child that takes longer for one thing, its start included, hangs in native code
 *   and is killed
 * @throws where there can be no more processes
 */
export function startProcess(options: ChildOptions, hangMillis: number): InferenceProcess {
  const child = spawnChild(options);
  const kill = () => void child.kill('SIGKILL');
  const gone = ended(child, passOn(child));
  const socket = child.stdio[SOCKET_FD];
  if (!(socket instanceof Socket)) throw new EngineCrash('No inference process can be started');
  const waiters = createWaiters(hangMillis, kill);
  const reader = createFrameReader(waiters.hear);
  socket.on('data', (chunk) => {
    try {
      reader.take(chunk);
    } catch {
      kill();
    }
  });
  // A socket to a dead child; its end is told by the process.
  socket.on('error', () => {});
  gone.then(waiters.rejectAll);
  const isAlive = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  let lastId = START_ID;
  return {
    pid: child.pid,
    isAlive,
    warm: waiters.wait(START_ID).then(({ words }) => Warm.parse(words)),
    gone: gone.then(() => {}),
    async run(order, image) {
      if (!isAlive()) throw await gone;
      const asked: Asked = { ...order, id: ++lastId };
      writeFrame(socket, asked, image);
      return waiters.wait(asked.id);
    },
    kill,
  };
}
