import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Problem } from '../../platform/problem.ts';
import { LocalEvent, type LocalRequest } from '../../queue/local-protocol.ts';
import { CliError } from '../terminal/output.ts';

/** What is reported of a cut-out, apart from the file itself. */
type LocalCutOut = Extract<LocalEvent, { done: unknown }>['done'];

const EXTENSION = extname(import.meta.url);
const ENTRY = fileURLToPath(new URL(`../../../workers/local/main${EXTENSION}`, import.meta.url));
const loader = (): string[] =>
  EXTENSION === '.ts'
    ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href]
    : [];

const spawnEngine = (slots: number): ChildProcess =>
  spawn(process.execPath, [...loader(), ENTRY], {
    // What libraries print must not mix with the results of this command.
    stdio: ['ignore', 2, 2, 'ipc'],
    env: { ...process.env, WORKER_CONCURRENCY: String(slots) },
  });

interface PendingImage {
  resolve(done: LocalCutOut): void;
  reject(error: unknown): void;
}

/** Settles the image that an event is about. */
function handleEvent(event: LocalEvent, pending: Map<number, PendingImage>): void {
  if (!('id' in event)) return;
  const image = pending.get(event.id);
  pending.delete(event.id);
  if ('done' in event) image?.resolve(event.done);
  else image?.reject(new Problem(event.problem.type, event.problem.detail));
}

/** Resolves with the first message of the engine: that it is ready. */
async function untilReady(child: ChildProcess) {
  const [first] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [{ refused: 'The inference process exited while starting' }]),
  ]);
  const event = LocalEvent.parse(first);
  if ('ready' in event) return event.ready;
  throw new CliError(
    'refused' in event ? event.refused : 'The inference process has another version',
  );
}

/**
 * Starts the inference engine on this machine, in its own processes: nothing of it is loaded here. Resolves when the
 * model is loaded.
 * @param slots photos processed at the same time
 * @param signal ends the engine
 * @throws CliError if the model or the device is not available
 */
export async function startLocalEngine(slots: number, signal: AbortSignal) {
  signal.throwIfAborted();
  const child = spawnEngine(slots);
  const exited = once(child, 'exit');
  const pending = new Map<number, PendingImage>();
  const disconnect = () => {
    if (child.connected) child.disconnect();
  };
  const close = async () => {
    signal.removeEventListener('abort', disconnect);
    disconnect();
    await exited;
  };
  signal.addEventListener('abort', disconnect, { once: true });
  const ready = await untilReady(child).catch(async (error) => {
    await close();
    throw signal.aborted ? signal.reason : error;
  });
  child.on('message', (message) => handleEvent(LocalEvent.parse(message), pending));
  const exitError = () => signal.reason ?? new CliError('The inference process exited');
  // Not earlier: until then it may be writing a file that the caller removes on failure.
  exited.then(() => {
    for (const { reject } of pending.values()) reject(exitError());
  });
  let lastId = 0;
  return {
    ...ready,
    /** Writes the cut-out of one file to another. Throws Problem; the signal's reason. */
    cutOut(request: Omit<LocalRequest, 'id'>): Promise<LocalCutOut> {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        if (!child.connected) return reject(exitError());
        pending.set(id, { resolve, reject });
        child.send({ ...request, id });
      });
    },
    /** Ends the processes; resolves when they have exited. */
    close,
  };
}
