import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Problem } from '../../platform/problem.ts';
import { LocalEvent, type LocalRequest } from '../../queue/local-protocol.ts';
import { CliError } from '../terminal/exit.ts';

/** What became of a photo, beside the file itself. */
export type LocalCutOut = Extract<LocalEvent, { done: unknown }>['done'];

/** The engine on this machine, in processes of its own: nothing of it is loaded here. */
export interface LocalEngine {
  /** `id@version` */
  model: string;
  /** `cpu`, `cuda` or `webgpu` */
  device: string;
  /** Writes the cut-out of one file into another. Throws Problem; the signal's reason. */
  cutOut(order: Omit<LocalRequest, 'id'>): Promise<LocalCutOut>;
  /** Ends the processes; resolves when they are gone. */
  close(): Promise<void>;
}

const EXTENSION = extname(import.meta.url);
const ENTRY = fileURLToPath(new URL(`../../../workers/local/main${EXTENSION}`, import.meta.url));
const loader = (): string[] =>
  EXTENSION === '.ts'
    ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href]
    : [];

const spawnEngine = (slots: number): ChildProcess =>
  spawn(process.execPath, [...loader(), ENTRY], {
    // What libraries print must not mix with what this command answers.
    stdio: ['ignore', 2, 2, 'ipc'],
    env: { ...process.env, WORKER_CONCURRENCY: String(slots) },
  });

interface Waiter {
  resolve(done: LocalCutOut): void;
  reject(error: unknown): void;
}

/** Tells who waits what became of their photo. */
function hear(news: LocalEvent, waiters: Map<number, Waiter>): void {
  if (!('id' in news)) return;
  const waiter = waiters.get(news.id);
  waiters.delete(news.id);
  if ('done' in news) waiter?.resolve(news.done);
  else waiter?.reject(new Problem(news.problem.type, news.problem.detail));
}

/** Resolves with the first thing the engine tells: that it is ready. */
async function untilReady(child: ChildProcess): Promise<{ model: string; device: string }> {
  const [first] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [{ refused: 'The inference process ended while it started' }]),
  ]);
  const news = LocalEvent.parse(first);
  if ('ready' in news) return news.ready;
  throw new CliError(
    'refused' in news ? news.refused : 'The inference process is of another version',
  );
}

/**
 * Starts the engine and resolves when the model is loaded.
 * @param slots photos worked on at once
 * @param signal ends everything
 * @throws CliError where the model or the device is not there
 */
export async function startLocalEngine(slots: number, signal: AbortSignal): Promise<LocalEngine> {
  signal.throwIfAborted();
  const child = spawnEngine(slots);
  const gone = once(child, 'exit');
  const waiters = new Map<number, Waiter>();
  const hangUp = () => {
    if (child.connected) child.disconnect();
  };
  const close = async () => {
    signal.removeEventListener('abort', hangUp);
    hangUp();
    await gone;
  };
  signal.addEventListener('abort', hangUp, { once: true });
  const ready = await untilReady(child).catch(async (error) => {
    await close();
    throw signal.aborted ? signal.reason : error;
  });
  child.on('message', (message) => hear(LocalEvent.parse(message), waiters));
  const ended = () => signal.reason ?? new CliError('The inference process ended');
  // Not before: it may be writing a file that whoever waits will tidy away.
  gone.then(() => {
    for (const { reject } of waiters.values()) reject(ended());
  });
  let lastId = 0;
  return {
    ...ready,
    cutOut(order) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        if (!child.connected) return reject(ended());
        waiters.set(id, { resolve, reject });
        child.send({ ...order, id });
      });
    },
    close,
  };
}
