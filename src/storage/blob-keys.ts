import { createHash } from 'node:crypto';

/**
 * Names of blobs. What lies under `sync/` belongs to one request that is being answered: it is
 * deleted with the answer, and swept where a process died before it could.
 */
export const SYNC_PREFIX = 'sync/';

/** After this a blob under `sync/` belongs to no request any more. */
export const SYNC_ORPHAN_SECONDS = 900;

/**
 * The blobs of one synchronous removal.
 * @param id unique to the request; not what the client sent
 */
export const syncKeys = (client: string, id: string) => ({
  inputKey: `${SYNC_PREFIX}${segment(client)}/${id}/in`,
  backgroundKey: `${SYNC_PREFIX}${segment(client)}/${id}/background`,
  outputKey: `${SYNC_PREFIX}${segment(client)}/${id}/out`,
});

/** Of an input that is not the image but where to fetch it: one address in UTF-8. */
export const LINK_MEDIA_TYPE = 'text/uri-list';

export const INPUT_PREFIX = 'in/';
const OUTPUT_PREFIX = 'out/';
/** What the names of all blobs of all batches, and of all feeds, begin with. */
export const BATCHES_PREFIX = 'batches/';
export const FEEDS_PREFIX = 'feeds/';
/** What lies under these is held by a job, a batch, a run or a feed, whose id stands in the key. */
export const HELD_PREFIXES = [INPUT_PREFIX, OUTPUT_PREFIX, BATCHES_PREFIX, FEEDS_PREFIX] as const;

/** What a client handed in for one job. */
export const jobInputKey = (client: string, jobId: string): string =>
  `${INPUT_PREFIX}${segment(client)}/${jobId}`;

const BACKGROUND = '.background';

/** What a client wants behind the subject of a job. */
export const jobBackgroundKey = (client: string, jobId: string): string =>
  `${jobInputKey(client, jobId)}${BACKGROUND}`;

export const isBackground = (key: string): boolean => key.endsWith(BACKGROUND);

/** Whose blob it is. */
export interface Holder {
  kind: 'job' | 'batch' | 'feed';
  id: string;
}

const HOLDERS: readonly { kind: Holder['kind']; id: RegExp }[] = [
  { kind: 'job', id: /\/(job_[A-Za-z0-9]+)(?:\.[a-z]+)?$/ },
  { kind: 'batch', id: /\/(batch_[A-Za-z0-9]+)(?:\.[a-z]+)?$/ },
  { kind: 'batch', id: /^batches\/[^/]+\/((?:batch|run)_[A-Za-z0-9]+)\// },
  { kind: 'feed', id: /^feeds\/[^/]+\/(feed_[A-Za-z0-9]+)\// },
];

/** Whose blob a key is of, or nothing where that does not stand in it. */
export function holderOf(key: string): Holder | undefined {
  for (const { kind, id } of HOLDERS) {
    const found = id.exec(key)?.[1];
    if (found) return { kind, id: found };
  }
  return undefined;
}

/** What a cut-out is made of: two of the same makings are the same picture. */
export interface CacheInputs {
  client: string;
  /** Of the input, hex. */
  sha256: string;
  /** `id@version` */
  model: string;
  /** Whatever else changes the pixels. */
  options: object;
}

/** What the keys of all copies of a cut-out begin with. */
export function cutOutPrefix({ client, sha256, model, options }: CacheInputs): string {
  const pipeline = `${model.replace('@', '-')}-${digest(JSON.stringify(options)).slice(0, 8)}`;
  return `${OUTPUT_PREFIX}${segment(client)}/${sha256}/${pipeline}/`;
}

/**
 * A cut-out that is kept for one holder: deleting it takes it from nobody else.
 * @param holder the id of a job, or of a batch
 * @param extension of its format, as in file names
 */
export const cutOutKey = (makings: CacheInputs, holder: string, extension = 'png'): string =>
  `${cutOutPrefix(makings)}${holder}.${extension}`;

/** A client's name as one safe segment of a key, different for different names. */
export const segment = (name: string): string => digest(name).slice(0, 32);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
