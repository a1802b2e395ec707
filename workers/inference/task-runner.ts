import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import {
  CLASSIFIER_ID,
  findModel,
  type Model,
  PARSER_ID,
  readCatalog,
} from '../../models/catalog.ts';
import type { ChildOptions, ChildReady, TaskRequest } from './child-protocol.ts';
import { restrictDecoders } from './codec.ts';
import { cutOut } from './cut-out.ts';
import type { GarmentSessions } from './garment-view.ts';
import { marketplacePicture } from './marketplace-picture.ts';
import { refineCutOut } from './refine.ts';
import { createMicroBatcher, openSession, type Session } from './session.ts';

/** What a task makes, and a file if it makes one. */
interface TaskOutput {
  result: object;
  bytes?: Uint8Array;
}

/** The same, and how many images went through a network together with this one, itself included. */
type RunTask = (
  request: TaskRequest,
  body: Uint8Array,
) => Promise<TaskOutput & { batchSize: number }>;

/** How long an image waits for others to share its run; a run on a GPU takes as long. */
const BATCH_DELAY_MILLIS = 4;

type OnBatch = (batchSize: number) => void;

/** Returns a session for one image, which reports the size of each batch the image ran in. */
type SessionFor = (onBatch: OnBatch) => Session;

/** Finds a model of the catalogue. @throws ModelError */
const findFor = ({ modelsHome }: ChildOptions, task: Model['task'], id: string) =>
  findModel(
    readCatalog(modelsHome).filter((model) => model.task === task),
    id,
  );

/** Loads a model of the catalogue and runs it once, because the first run takes longer than all others. */
async function openModel(
  options: ChildOptions,
  task: Model['task'],
  id: string,
  inFlight: () => number,
): Promise<SessionFor> {
  const { supportsBatches, runAll, ...loaded } = await openSession(
    findFor(options, task, id),
    options.device,
    options.threads,
  );
  const { size: side } = loaded.model.input;
  await runAll([new Float32Array(3 * side ** 2)]);
  const maxSize = supportsBatches ? options.batch : 1;
  const runOne = createMicroBatcher(runAll, { maxSize, delayMillis: BATCH_DELAY_MILLIS, inFlight });
  return (onBatch) => ({
    ...loaded,
    async run(input, size) {
      const sharesRun = size === undefined || size.width === side;
      if (!sharesRun) return (await runAll([input], size))[0]!;
      const { output, batchSize } = await runOne(input);
      onBatch(batchSize);
      return output;
    },
  });
}

const findParser = (options: ChildOptions) => findFor(options, 'parsing', PARSER_ID);

/** Loads the parse network. Its inputs have many sizes, so they do not share runs. */
async function openParser(options: ChildOptions): Promise<Session> {
  const { device, threads } = options;
  const { runAll, ...loaded } = await openSession(findParser(options), device, threads);
  return { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
}

async function openGarmentViewer(options: ChildOptions, inFlight: () => number) {
  const [{ viewGarment }, classifierFor] = await Promise.all([
    import('./garment-view.ts'),
    openModel(options, 'classification', CLASSIFIER_ID, inFlight),
  ]);
  return { viewGarment, classifierFor };
}

/** Opens with the first call. */
function once<T>(open: () => T): () => T {
  let opened: T | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Splits a body into the image and what follows it: the image's background, or its alpha. */
const splitBody = ({ imageBytes = Number.POSITIVE_INFINITY }: TaskRequest, body: Uint8Array) => ({
  image: body.subarray(0, imageBytes),
  other: body.length > imageBytes ? body.subarray(imageBytes) : undefined,
});

/** Tasks that look at no network. */
const RENDERED: readonly string[] = ['marketplace-picture', 'refinement'];

/** Restricts the decoders of this process to untrusted images, and loads the removal model. @throws ModelError */
export async function openTaskRunner(
  options: ChildOptions,
): Promise<{ ready: ChildReady; runTask: RunTask }> {
  restrictDecoders();
  const { maxPixels } = options;
  let inFlight = 0;
  const removerFor = await openModel(options, 'cut-out', options.model, () => inFlight);
  /** The parse network is loaded for the first request that needs it; classifier and colour names likewise. */
  const parserOnce = once(() => openParser(options));
  const viewerOnce = once(() => openGarmentViewer(options, () => inFlight));
  async function openGarments(onBatch: OnBatch) {
    const [{ classifierFor, viewGarment }, parser] = await Promise.all([
      viewerOnce(),
      parserOnce(),
    ]);
    const classifier = classifierFor(onBatch);
    const sessions: GarmentSessions = { remover: removerFor(onBatch), parser, classifier };
    return { sessions, viewGarment };
  }
  const tasks: Readonly<
    Record<
      TaskRequest['task'],
      (request: TaskRequest, body: Uint8Array, onBatch: OnBatch) => Promise<TaskOutput>
    >
  > = {
    async 'cut-out'(request, body, onBatch) {
      const { image, other: background } = splitBody(request, body);
      const { options: asked, region } = request;
      const settings = { options: asked, region, background, openParser: parserOnce };
      const { file, ...result } = await cutOut(removerFor(onBatch), image, maxPixels, settings);
      return { result, bytes: file };
    },
    async refinement(request, body) {
      const { options: asked, strokes = [] } = request;
      const { image, other: alpha = new Uint8Array() } = splitBody(request, body);
      const mending = { alpha, strokes, options: asked };
      const { file, ...result } = await refineCutOut(image, mending, maxPixels);
      return { result, bytes: file };
    },
    async 'garment-view'(_, image, onBatch) {
      const { sessions, viewGarment } = await openGarments(onBatch);
      return { result: await viewGarment(sessions, image, maxPixels) };
    },
    async outfit({ options: asked, cutouts = false }, image, onBatch) {
      const [{ separateOutfit }, { sessions }] = await Promise.all([
        import('./separate-outfit.ts'),
        openGarments(onBatch),
      ]);
      const settings = { quality: asked?.quality, cutouts };
      const { files, ...result } = await separateOutfit(sessions, image, maxPixels, settings);
      return { result, bytes: files };
    },
    async 'marketplace-picture'({ background }, cutout) {
      const picture = await marketplacePicture(cutout, { background });
      if (!picture) return { result: {} };
      const { bytes, ...result } = picture;
      return { result, bytes };
    },
  };
  async function runTask(request: TaskRequest, body: Uint8Array) {
    let batchSize = 1;
    const onBatch = (size: number) => {
      batchSize = Math.max(batchSize, size);
    };
    const seen = RENDERED.includes(request.task) ? 0 : 1;
    inFlight += seen;
    try {
      return { ...(await tasks[request.task](request, body, onBatch)), batchSize };
    } finally {
      inFlight -= seen;
    }
  }
  const collectingWhenIdle = createIdleCollector(globalThis.gc);
  const nameOf = ({ id, version }: Model) => ({ id, version });
  const { model, device, fallback } = removerFor(() => {});
  return {
    ready: { model: nameOf(model), parser: nameOf(findParser(options)), device, fallback },
    runTask: (request, body) => collectingWhenIdle(() => runTask(request, body)),
  };
}

/** How long a process rests before it collects its garbage. */
const IDLE_MILLIS = 10_000;
/**
 * Memory outside the heap from which on a collection is worth it: what V8 has compiled for objects of which none is alive
 * goes with them, so the next image takes two to three times as long. Images of up to 12 megapixels leave less than 128 MiB,
 * of which a collection gives back 30 at most.
 */
const MIN_EXTERNAL_BYTES = 128 * 2 ** 20;

/**
 * Returns a function that runs a task and collects garbage once no task has run for a while, if there is much. A process
 * that rests does not collect by itself, and would keep the buffers of the last images: some 200 MiB of 50 megapixels.
 *
 * @param collect - a full collection: `gc` of a process that was started with `--expose-gc`
 * @param externalBytes - memory outside the heap that JavaScript holds
 */
export function createIdleCollector(
  collect: (() => void) | undefined,
  externalBytes = () => process.memoryUsage().external,
): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const collectMuch = () => {
    if (externalBytes() >= MIN_EXTERNAL_BYTES) collect?.();
  };
  return async (task) => {
    running++;
    clearTimeout(timer);
    try {
      return await task();
    } finally {
      running--;
      if (running === 0) timer = setTimeout(collectMuch, IDLE_MILLIS).unref();
    }
  };
}

/** Of the picture: large enough for every step of a cut-out, small enough to take a fraction of a photo's time. */
const SIZE = { width: 400, height: 480 } as const;
const ROUNDS = 5;
const RGB = 3;

/** Whether a pixel is on the shirt: a body and two sleeves, coordinates 0..1. */
const isShirt = (x: number, y: number): boolean =>
  (Math.abs(x - 0.5) < 0.2 && y > 0.2 && y < 0.85) ||
  (Math.abs(x - 0.5) < 0.38 && y > 0.2 + 0.3 * (Math.abs(x - 0.5) - 0.2) && y < 0.42);

/** Draws a dark shirt with a weave before a light wall, and returns it as JPEG. */
export function drawShirt(): Promise<Uint8Array> {
  const { width, height } = SIZE;
  const data = new Uint8Array(RGB * width * height);
  for (let y = 0, p = 0; y < height; y++)
    for (let x = 0; x < width; x++, p += RGB) {
      const weave = 12 * Math.sin(x * 1.3) * Math.sin(y * 1.1);
      const [red, green, blue] = isShirt(x / width, y / height) ? [50, 70, 120] : [215, 210, 200];
      data[p] = red + weave;
      data[p + 1] = green + weave;
      data[p + 2] = blue + weave;
    }
  const raw = { width, height, channels: RGB } as const;
  return sharp(data, { raw }).blur(1).jpeg().toBuffer();
}

/** A process that has work at once needs no warming, and a client would wait for it. */
const REST_MILLIS = 5000;

/**
 * Cuts out a drawn picture a few times while the process has nothing else to do. V8 compiles what it has seen often, so
 * the first photo after a start would take four times as long as later ones.
 * @param hasWork whether there is or was a request: then nothing more is done
 */
export async function warmUp(
  runTask: (request: TaskRequest, image: Uint8Array) => Promise<unknown>,
  hasWork: () => boolean,
  restMillis = REST_MILLIS,
): Promise<void> {
  await pause(restMillis);
  if (hasWork()) return;
  const image = await drawShirt();
  for (let round = 0; round < ROUNDS && !hasWork(); round++)
    await runTask({ task: 'cut-out' }, Uint8Array.from(image));
}
