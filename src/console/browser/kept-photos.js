import { ApiError, callJson } from './api.js';
import { Shelf } from './shelf.js';
import { say } from './texts.js';

/** @typedef {import('./upload.js').Upload} Upload */

/** Photos that are kept with their cut-outs, and their bytes together, at most. */
const MAX_PHOTOS = 200;
const MAX_BYTES = 2 ** 30;

/**
 * An upload as it is kept, of the client who was signed in.
 * @typedef {Omit<Upload, 'panel' | 'made' | 'error' | 'note' | 'startedAt'> & {client: string, problem?: ConstructorParameters<typeof ApiError>[0]}} Kept
 */

const INTERRUPTED = { type: 'interrupted' };

/** @type {Shelf<Kept>} */
const shelf = new Shelf('selvage-photos', 'photos');

/** @type {Promise<string> | undefined} */
let client;
/** Another client must not see the photos of this one. */
function readClient() {
  client ??= callJson('/console/session').then(
    (session) => String(session.client),
    (error) => {
      client = undefined; // asked again for the next photo
      throw error;
    },
  );
  return client;
}

/** @param {Upload} upload */
const bytesOf = ({ photo, cutOut, mended }) =>
  [photo, cutOut, mended?.alpha].reduce((sum, file) => sum + (file?.size ?? 0), 0);

/** Whether there is room for it beside the others. @param {Upload} upload @param {readonly Upload[]} all */
function hasRoom(upload, all) {
  const others = all.filter((one) => one !== upload && one.isKept);
  const bytes = [...others, upload].reduce((sum, one) => sum + bytesOf(one), 0);
  return others.length < MAX_PHOTOS && bytes <= MAX_BYTES;
}

/**
 * Keeps a photo and its cut-out in this browser, and notes whether it could.
 * @param {Upload} upload
 * @param {readonly Upload[]} all those of the page
 */
export async function keep(upload, all) {
  const { panel, made, error, note, startedAt, ...kept } = upload;
  try {
    if (!hasRoom(upload, all)) throw new Error(`More than ${MAX_PHOTOS} photos, or too large`);
    /** @type {Kept} */
    const record = { ...kept, client: await readClient() };
    if (error instanceof ApiError) record.problem = { ...error };
    await shelf.put(record);
    upload.isKept = true;
  } catch {
    upload.isKept = false;
  }
}

/** @param {readonly Upload[]} uploads */
export const forget = (uploads) => shelf.remove(...uploads.map(({ id }) => id));

/**
 * Reads what was kept. What was not finished goes on after a reload; another page of this browser may be at work on it
 * otherwise.
 * @returns {Promise<Upload[]>}
 */
export async function readKept() {
  const own = await readClient();
  const [navigation] = performance.getEntriesByType('navigation');
  const isReload =
    navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload';
  const records = (await shelf.all()).filter((record) => record.client === own);
  return records.map(({ client: _, problem, ...upload }) => {
    const isDone = upload.state === 'done';
    const goesOn = isReload && ['waiting', 'working'].includes(upload.state);
    return {
      ...upload,
      isKept: true,
      isSeen: true,
      note: say('cut.waiting'),
      startedAt: performance.now(),
      state: isDone ? 'done' : goesOn ? 'waiting' : 'failed',
      ...(!isDone && !goesOn && { error: new ApiError(problem ?? INTERRUPTED) }),
    };
  });
}
