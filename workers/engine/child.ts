import { findModel, readCatalog } from '../../models/catalog.ts';
import { lockDown } from './codec.ts';
import { type CutOut, cutOut } from './cut-out.ts';
import { openSession, type Session } from './session.ts';
import { ChildOptions, OPTIONS_VARIABLE, type Task, type Warm } from './task.ts';

/** The inference child: loads the model once, then does one task at a time. */
lockDown();
// Ctrl-C reaches every process of a terminal. When this one ends is for its parent to say, which drains.
process.on('SIGINT', () => {});

const options = ChildOptions.parse(JSON.parse(process.env[OPTIONS_VARIABLE] ?? '{}'));

async function prepare(): Promise<Session> {
  const model = findModel(readCatalog(options.modelsHome), options.model);
  const session = await openSession(model, options.device, options.threads);
  // The first run of a session takes longer than all others; nobody should wait for it.
  await session.run(new Float32Array(3 * model.input.size ** 2));
  return session;
}

const prepared = prepare();
// A fault is told by the first task, with its message; unheard, it would end the process.
prepared.catch(() => {});

export async function work(task: Task): Promise<CutOut | Warm> {
  const session = await prepared;
  if (task.kind === 'cut-out') return cutOut(session, task.image, options.maxPixels);
  const { id, version } = session.model;
  return { model: { id, version }, device: session.device };
}
