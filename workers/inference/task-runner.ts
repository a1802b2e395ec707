import {
  type CatalogModel,
  CLASSIFIER_ID,
  findModel,
  type Model,
  modelVersionOf,
  PARSER_ID,
  readCatalog,
} from '../../models/catalog.ts';
import type { ChildOptions, ChildReady, TaskRequest } from './child-protocol.ts';
import { restrictDecoders } from './codec.ts';
import { cutOut } from './cut-out.ts';
import type { GarmentSessions } from './garment-view.ts';
import { marketplacePicture } from './marketplace-picture.ts';
import { createMicroBatcher } from './micro-batches.ts';
import { refineCutOut } from './refine.ts';
import { openSession, type Session } from './session.ts';

/** The result of a task, and a file if the task makes one. */
interface TaskResult {
  result: object;
  bytes?: Uint8Array;
  /** Images that went through a network together with this one, itself included. */
  batchSize: number;
}

export type RunTask = (request: TaskRequest, image: Uint8Array) => Promise<TaskResult>;

/** How long an image waits for others to share its run; a run on a GPU takes as long. */
const BATCH_DELAY_MILLIS = 4;

type OnBatch = (batchSize: number) => void;

/** Returns a session for one image, which reports the size of each batch the image ran in. */
type SessionFor = (onBatch: OnBatch) => Session;

/** Finds a model of the catalogue. @throws ModelError */
const findFor = ({ modelsHome }: ChildOptions, task: Model['task'], id: string): CatalogModel =>
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
  const loaded = await openSession(findFor(options, task, id), options.device, options.threads);
  const { model, device, fallback, runAll } = loaded;
  await runAll([new Float32Array(3 * model.input.size ** 2)]);
  const maxSize = loaded.supportsBatches ? options.batch : 1;
  const runOne = createMicroBatcher(runAll, {
    maxSize,
    delayMillis: BATCH_DELAY_MILLIS,
    inFlight,
  });
  return (onBatch) => ({
    model,
    device,
    fallback,
    async run(input, size) {
      const sharesRun = size === undefined || size.width === model.input.size;
      if (!sharesRun) return (await runAll([input], size))[0]!;
      const { output, batchSize } = await runOne(input);
      onBatch(batchSize);
      return output;
    },
  });
}

const findParser = (options: ChildOptions) => findFor(options, 'parsing', PARSER_ID);

const nameOf = ({ id, version }: Model) => ({ id, version });

/** Loads the parse network. Its inputs have many sizes, so they do not share runs. */
async function openParser(options: ChildOptions): Promise<Session> {
  const { device, threads } = options;
  const { runAll, ...loaded } = await openSession(findParser(options), device, threads);
  return { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
}

async function openGarmentViewer(options: ChildOptions, inFlight: () => number) {
  const [{ viewGarment: view }, classifierFor] = await Promise.all([
    import('./garment-view.ts'),
    openModel(options, 'classification', CLASSIFIER_ID, inFlight),
  ]);
  return { view, classifierFor };
}

/** Renders a cut-out as marketplaces require it; no bytes if it meets the rules as it is. */
async function renderMarketplacePicture(
  cutout: Uint8Array,
  background: string | undefined,
): Promise<TaskResult> {
  const picture = await marketplacePicture(cutout, { background });
  if (!picture) return { result: {}, batchSize: 1 };
  const { bytes, ...result } = picture;
  return { result, bytes, batchSize: 1 };
}

/** Splits a body into the image and what follows it: the image's background, or its alpha. */
const splitBody = ({ imageBytes = Number.POSITIVE_INFINITY }: TaskRequest, body: Uint8Array) => ({
  image: body.subarray(0, imageBytes),
  other: body.length > imageBytes ? body.subarray(imageBytes) : undefined,
});

async function runRefinement(
  request: TaskRequest,
  body: Uint8Array,
  maxPixels: number,
): Promise<TaskResult> {
  const { options, strokes = [] } = request;
  const { image, other: alpha = new Uint8Array() } = splitBody(request, body);
  const { file, ...result } = await refineCutOut(image, { alpha, strokes, options }, maxPixels);
  return { result, bytes: file, batchSize: 1 };
}

/** Restricts the decoders of this process to untrusted images, and loads the removal model. @throws ModelError */
export async function openTaskRunner(
  options: ChildOptions,
): Promise<{ ready: ChildReady; runTask: RunTask }> {
  restrictDecoders();
  let inFlight = 0;
  const removerFor = await openModel(options, 'cut-out', options.model, () => inFlight);
  /** Classifier and colour names are loaded with the first request for `garment-view` or `outfit`. */
  let viewer: ReturnType<typeof openGarmentViewer> | undefined;
  /** The parse network is loaded with the first of them, or the first cut-out of a part of the subject. */
  let parser: Promise<Session> | undefined;
  function parserOnce(): Promise<Session> {
    parser ??= openParser(options);
    return parser;
  }
  async function openSessions(onBatch: OnBatch) {
    viewer ??= openGarmentViewer(options, () => inFlight);
    const [{ classifierFor, view }, parserSession] = await Promise.all([viewer, parserOnce()]);
    const sessions: GarmentSessions = {
      remover: removerFor(onBatch),
      parser: parserSession,
      classifier: classifierFor(onBatch),
    };
    return { sessions, view };
  }
  async function separateImage(
    request: TaskRequest,
    image: Uint8Array,
    onBatch: OnBatch,
  ): Promise<Omit<TaskResult, 'batchSize'>> {
    const [{ separateOutfit }, { sessions }] = await Promise.all([
      import('./separate-outfit.ts'),
      openSessions(onBatch),
    ]);
    const settings = { quality: request.options?.quality, cutouts: request.cutouts ?? false };
    const { outfit, files } = await separateOutfit(sessions, image, options.maxPixels, settings);
    const models = {
      model: modelVersionOf(sessions.parser.model),
      classifier: modelVersionOf(sessions.classifier.model),
    };
    return { result: { ...outfit, ...models }, bytes: files };
  }
  async function viewImage(image: Uint8Array, onBatch: OnBatch): Promise<object> {
    const { sessions, view } = await openSessions(onBatch);
    return view(sessions, image, options.maxPixels, modelVersionOf(sessions.classifier.model));
  }
  async function runTask(request: TaskRequest, body: Uint8Array): Promise<TaskResult> {
    if (request.task === 'marketplace-picture') {
      return renderMarketplacePicture(body, request.background);
    }
    if (request.task === 'refinement') return runRefinement(request, body, options.maxPixels);
    let batchSize = 1;
    const onBatch = (size: number) => {
      batchSize = Math.max(batchSize, size);
    };
    inFlight++;
    try {
      if (request.task === 'garment-view') {
        return { result: await viewImage(body, onBatch), batchSize };
      }
      if (request.task === 'outfit') {
        return { ...(await separateImage(request, body, onBatch)), batchSize };
      }
      const { image, other: background } = splitBody(request, body);
      const settings = { options: request.options, region: request.region, background };
      const { file, ...result } = await cutOut(removerFor(onBatch), image, options.maxPixels, {
        ...settings,
        openParser: parserOnce,
      });
      return { result, bytes: file, batchSize };
    } finally {
      inFlight--;
    }
  }
  const { model, device, fallback } = removerFor(() => {});
  const ready = { model: nameOf(model), parser: nameOf(findParser(options)), device, fallback };
  return { ready, runTask };
}
