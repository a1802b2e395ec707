import { findModel, type Model, readCatalog } from '../../models/catalog.ts';
import type { ChildOptions, Order, Warm } from './child-protocol.ts';
import { lockDown } from './codec.ts';
import { cutOut } from './cut-out.ts';
import type { viewGarment } from './garment-view.ts';
import { marketplacePicture } from './marketplace-picture.ts';
import { inBatches } from './micro-batches.ts';
import { openSession, type Session } from './session.ts';

/** What became of a picture: words, and another picture where there is one. */
export interface Done {
  words: object;
  bytes?: Uint8Array;
  /** Pictures that went through a network together with this one, itself included. */
  batchSize: number;
}

/** Does one thing with one picture. */
export type Work = (order: Order, image: Uint8Array) => Promise<Done>;

/** The model that tells a garment's class. */
const CLASSIFIER = 'garment-class';

/** How long a picture waits for others to share its run; a run on a GPU takes as long. */
const BATCH_DELAY_MILLIS = 4;

/** A model as one picture sees it; hears with how many others it ran. */
type SessionFor = (heard: (batchSize: number) => void) => Session;

/** Loads a model of the catalogue. Its first run takes longer than all others; nobody should wait for it. */
async function open(
  options: ChildOptions,
  task: Model['task'],
  id: string,
  inHand: () => number,
): Promise<SessionFor> {
  const catalog = readCatalog(options.modelsHome).filter((model) => model.task === task);
  const loaded = await openSession(findModel(catalog, id), options.device, options.threads);
  const { model, device } = loaded;
  await loaded.runAll([new Float32Array(3 * model.input.size ** 2)]);
  const most = loaded.takesMany ? options.batch : 1;
  const runOne = inBatches(loaded.runAll, { most, delayMillis: BATCH_DELAY_MILLIS, inHand });
  return (heard) => ({
    model,
    device,
    async run(input) {
      const { output, batchSize } = await runOne(input);
      heard(batchSize);
      return output;
    },
  });
}

interface View {
  classifierFor: SessionFor;
  look: typeof viewGarment;
}

async function openView(options: ChildOptions, inHand: () => number): Promise<View> {
  const [{ viewGarment: look }, classifierFor] = await Promise.all([
    import('./garment-view.ts'),
    open(options, 'classification', CLASSIFIER, inHand),
  ]);
  return { look, classifierFor };
}

/** A cut-out as marketplaces want it; no bytes where it is so already. */
async function show(cutout: Uint8Array, background: string | undefined): Promise<Done> {
  const picture = await marketplacePicture(cutout, { background });
  if (!picture) return { words: {}, batchSize: 1 };
  const { bytes, ...words } = picture;
  return { words, bytes, batchSize: 1 };
}

/** The picture that was sent, how it is to be cut out, and what was sent behind it. */
function picturesOf({ options, imageBytes }: Order, bytes: Uint8Array) {
  if (imageBytes === undefined) return { image: bytes, options };
  const background = bytes.subarray(imageBytes);
  return { image: bytes.subarray(0, imageBytes), options, background };
}

/**
 * Makes this process one that works on strangers' pictures, and loads the model.
 * @throws ModelError
 */
export async function openWork(options: ChildOptions): Promise<{ warm: Warm; work: Work }> {
  lockDown();
  let inHand = 0;
  const cutterFor = await open(options, 'cut-out', options.model, () => inHand);
  /** The classifier and the garment words are loaded with the first picture that asks for them. */
  let viewing: Promise<View> | undefined;
  async function view(image: Uint8Array, heard: (batchSize: number) => void): Promise<object> {
    viewing ??= openView(options, () => inHand);
    const { classifierFor, look } = await viewing;
    const classifier = classifierFor(heard);
    const { id, version } = classifier.model;
    return look(cutterFor(heard), classifier, image, options.maxPixels, `${id}@${version}`);
  }
  async function work(order: Order, bytes: Uint8Array): Promise<Done> {
    if (order.deed === 'show') return show(bytes, order.background);
    let batchSize = 1;
    const heard = (size: number) => {
      batchSize = Math.max(batchSize, size);
    };
    inHand++;
    try {
      if (order.deed === 'view') return { words: await view(bytes, heard), batchSize };
      const { image, ...rest } = picturesOf(order, bytes);
      const { file, ...words } = await cutOut(cutterFor(heard), image, options.maxPixels, rest);
      return { words, bytes: file, batchSize };
    } finally {
      inHand--;
    }
  }
  const { model, device } = cutterFor(() => {});
  return { warm: { model: { id: model.id, version: model.version }, device }, work };
}
