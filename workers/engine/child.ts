import { findModel, type Model, readCatalog } from '../../models/catalog.ts';
import { lockDown } from './codec.ts';
import { type CutOut, cutOut } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import { openSession, type Session } from './session.ts';
import { ChildOptions, OPTIONS_VARIABLE, type Task, type Warm } from './task.ts';

/** The inference child: loads the model once, then does one task at a time. */
lockDown();
// Ctrl-C reaches every process of a terminal. When this one ends is for its parent to say, which drains.
process.on('SIGINT', () => {});

const options = ChildOptions.parse(JSON.parse(process.env[OPTIONS_VARIABLE] ?? '{}'));

/** The model that tells a garment's class. */
const CLASSIFIER = 'garment-class';

/** Loads a model of the catalogue. Its first run takes longer than all others; nobody should wait for it. */
async function open(task: Model['task'], id: string): Promise<Session> {
  const catalog = readCatalog(options.modelsHome).filter((model) => model.task === task);
  const session = await openSession(findModel(catalog, id), options.device, options.threads);
  await session.run(new Float32Array(3 * session.model.input.size ** 2));
  return session;
}

const cutOutSession = open('cut-out', options.model);
// A fault is told by the first task, with its message; unheard, it would end the process.
cutOutSession.catch(() => {});

/** The classifier and the garment words are loaded with the first picture that asks for them. */
let viewing: Promise<(image: Uint8Array) => Promise<GarmentView>> | undefined;

async function openView(): Promise<(image: Uint8Array) => Promise<GarmentView>> {
  const [{ viewGarment }, cutter, classifier] = await Promise.all([
    import('./garment-view.ts'),
    cutOutSession,
    open('classification', CLASSIFIER),
  ]);
  const { id, version } = classifier.model;
  return (image) => viewGarment(cutter, classifier, image, options.maxPixels, `${id}@${version}`);
}

export async function work(task: Task): Promise<CutOut | GarmentView | Warm> {
  const session = await cutOutSession;
  if (task.kind === 'cut-out') return cutOut(session, task.image, options.maxPixels);
  if (task.kind === 'view') {
    viewing ??= openView();
    return (await viewing)(task.image);
  }
  const { id, version } = session.model;
  return { model: { id, version }, device: session.device };
}
