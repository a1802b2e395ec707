import { readFileSync, writeFileSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { Problem } from '../../src/platform/problem.ts';
import { serializeProblem } from '../../src/queue/serialized-problem.ts';
import {
  Asked,
  ChildOptions,
  type Fault,
  OPTIONS_VARIABLE,
  SOCKET_FD,
  START_ID,
  type Told,
} from './child-protocol.ts';
import { createFrameReader, type Frame, writeFrame } from './frames.ts';
import type { Work } from './work.ts';

/** The inference child: loads the model once, then works on what comes, until its pool is gone. */

// Ctrl-C and an init system's SIGTERM reach every process of a group. When this one ends is for the
// pool to say, whose process drains first.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});

const OOM_SCORE = '/proc/self/oom_score_adj';

/** Where memory runs out, the kernel takes a child sooner than the worker, a store or Redis. */
function stepForward(): void {
  try {
    const score = Number(readFileSync(OOM_SCORE, 'utf8'));
    writeFileSync(OOM_SCORE, String(Math.min(1000, score + 500)));
  } catch {
    // Not Linux, or not allowed: then it takes whom it likes.
  }
}

const tell = (told: Told, bytes?: Uint8Array): void => writeFrame(socket, told, bytes);
function faultOf(error: unknown): Fault {
  if (error instanceof Problem) return { name: error.name, message: serializeProblem(error) };
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

async function doTask({ words, bytes }: Frame): Promise<void> {
  const { id, ...order } = Asked.parse(words);
  try {
    const { words: done, bytes: made, batchSize } = await (await work)(order, bytes);
    tell({ id, done: { ...done }, batchSize }, made);
  } catch (error) {
    tell({ id, fault: faultOf(error) });
  }
}

const reader = createFrameReader((frame) => void doTask(frame));
// Bytes are read to where they stay.
const options: SocketConstructorOpts & ConnectOpts = {
  fd: SOCKET_FD,
  onread: {
    buffer: reader.room,
    callback(count) {
      reader.filled(count);
      return true;
    },
  },
};
const socket = new Socket(options);
socket.on('error', () => process.exit());
socket.on('close', () => process.exit());
socket.resume();

stepForward();

/** Loads everything; also what fails to be imported is told. */
async function warmUp(): Promise<Work> {
  const { openWork } = await import('./work.ts');
  const { warm, work } = await openWork(
    ChildOptions.parse(JSON.parse(process.env[OPTIONS_VARIABLE] ?? '{}')),
  );
  tell({ id: START_ID, done: warm, batchSize: 1 });
  return work;
}

const work = warmUp();
work.catch((error) => {
  tell({ id: START_ID, fault: faultOf(error) });
  socket.end();
});
