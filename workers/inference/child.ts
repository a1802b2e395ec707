import { readFileSync, writeFileSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { Problem, serializeProblem } from '../../src/platform/problem.ts';
import {
  type ChildError,
  ChildOptions,
  ChildRequest,
  type ChildResponse,
  type Frame,
  FrameReader,
  OPTIONS_VARIABLE,
  SOCKET_FD,
  START_ID,
  writeFrame,
} from './child-protocol.ts';

/** The inference child: loads the model once, then runs tasks until its pool closes the socket. */

// Ctrl-C and an init system's SIGTERM reach every process of a group. The pool decides when this one
// ends, because the worker drains first.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});

const OOM_SCORE = '/proc/self/oom_score_adj';

/** Makes the kernel kill a child before the worker, storage or Redis when memory runs out. */
function raiseOomScore(): void {
  try {
    const score = Number(readFileSync(OOM_SCORE, 'utf8'));
    writeFileSync(OOM_SCORE, String(Math.min(1000, score + 500)));
  } catch {
    // Not Linux, or not permitted: the kernel chooses.
  }
}

const respond = (response: ChildResponse, body?: Uint8Array): void =>
  writeFrame(socket, response, body);

function serializeError(error: unknown): ChildError {
  if (error instanceof Problem) return { name: error.name, message: serializeProblem(error) };
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

let hasWork = false;

async function handleRequest({ header, body }: Frame): Promise<void> {
  hasWork = true;
  const { id, ...request } = ChildRequest.parse(header);
  try {
    const runTask = await loading;
    const { result, bytes, batchSize } = await runTask(request, body);
    respond({ id, result: { ...result }, batchSize }, bytes);
  } catch (error) {
    respond({ id, error: serializeError(error) });
  }
}

const reader = new FrameReader((frame) => void handleRequest(frame));
// Node reads straight into the frame's own memory.
const options: SocketConstructorOpts & ConnectOpts = {
  fd: SOCKET_FD,
  onread: {
    buffer: reader.nextBuffer,
    callback(count) {
      reader.advance(count);
      return true;
    },
  },
};
const socket = new Socket(options);
socket.on('error', () => process.exit());
socket.on('close', () => process.exit());
socket.resume();

raiseOomScore();

/** Imports and loads everything here, so that a failed import is reported too. */
async function load() {
  const { openTaskRunner, warmUp } = await import('./task-runner.ts');
  const childOptions = ChildOptions.parse(JSON.parse(process.env[OPTIONS_VARIABLE] ?? '{}'));
  const { ready, runTask } = await openTaskRunner(childOptions);
  respond({ id: START_ID, result: ready, batchSize: 1 });
  if (childOptions.warmUp) warmUp(runTask, () => hasWork).catch(() => {}); // else images take longer at first
  return runTask;
}

const loading = load();
loading.catch((error) => {
  respond({ id: START_ID, error: serializeError(error) });
  socket.end();
});
