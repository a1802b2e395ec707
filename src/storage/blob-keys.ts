import { createHash } from 'node:crypto';

/**
 * Blobs under `sync/` belong to one synchronous request: they are deleted when it is answered, and swept if
 * the process died before that.
 */
export const SYNC_PREFIX = 'sync/';

/** Age at which a blob under `sync/` no longer belongs to a request. */
export const SYNC_ORPHAN_SECONDS = 900;

/** The blobs of one synchronous removal. @param id unique to the request; not from the client */
export const syncKeys = (client: string, id: string) => ({
  inputKey: `${SYNC_PREFIX}${segment(client)}/${id}/in`,
  backgroundKey: `${SYNC_PREFIX}${segment(client)}/${id}/background`,
  alphaKey: `${SYNC_PREFIX}${segment(client)}/${id}/alpha`,
  outputKey: `${SYNC_PREFIX}${segment(client)}/${id}/out`,
});

/** Returns the segment of a blob's key that stands for its client. */
export const clientOf = (key: string): string => key.split('/', 2)[1] ?? '';

/** Of an input that is not an image but its address: one URL in UTF-8. */
export const LINK_MEDIA_TYPE = 'text/uri-list';

export const INPUT_PREFIX = 'in/';
const OUTPUT_PREFIX = 'out/';
export const BATCHES_PREFIX = 'batches/';
export const FEEDS_PREFIX = 'feeds/';
/** What clients store under names: presets and rule packs. They last until they are deleted. */
export const SETTINGS_PREFIX = 'settings/';
/** Copies of the records of API keys, by the hash of the key. They last. */
export const KEYS_PREFIX = 'keys/';
/** What was done to what only Redis knows, by kind. Deleted after an hour. */
export const DEEDS_PREFIX = 'deeds/';
/** @param name of what it was done to, unique to the kind */
export const deedKey = (kind: string, name: string): string =>
  `${DEEDS_PREFIX}${kind}/${segment(name)}.json`;
export const keyCopyKey = (hash: string): string => `${KEYS_PREFIX}${hash}.json`;
/** Blobs with these prefixes belong to a job, a batch, a run or a feed, whose id is in the key. */
export const OWNED_PREFIXES = [INPUT_PREFIX, OUTPUT_PREFIX, BATCHES_PREFIX, FEEDS_PREFIX] as const;

export const jobInputKey = (client: string, jobId: string): string =>
  `${INPUT_PREFIX}${segment(client)}/${jobId}`;

export const refinementsPrefix = (client: string, jobId: string): string =>
  `${OUTPUT_PREFIX}${segment(client)}/refined/${jobId}/`;

/** The prefix of one refinement of a job. @param id unique to the refinement */
export const refinementPrefix = (client: string, jobId: string, id: string): string =>
  `${refinementsPrefix(client, jobId)}${id}/`;

export const refinementKey = (
  client: string,
  jobId: string,
  id: string,
  extension: string,
): string => `${refinementPrefix(client, jobId, id)}${jobId}.${extension}`;

const BACKGROUND = '.background';

export const jobBackgroundKey = (client: string, jobId: string): string =>
  `${jobInputKey(client, jobId)}${BACKGROUND}`;

export const isBackground = (key: string): boolean => key.endsWith(BACKGROUND);

/** The record that a blob belongs to. */
export interface BlobOwner {
  kind: 'job' | 'batch' | 'feed';
  id: string;
}

const OWNERS: readonly { kind: BlobOwner['kind']; id: RegExp }[] = [
  { kind: 'job', id: /\/(job_[A-Za-z0-9]+)(?:\.[a-z]+)?$/ },
  { kind: 'batch', id: /\/(batch_[A-Za-z0-9]+)(?:\.[a-z]+)?$/ },
  { kind: 'job', id: /\/garments\/(job_[A-Za-z0-9]+)\/[0-9a-f]+\.png$/ },
  { kind: 'batch', id: /\/garments\/(batch_[A-Za-z0-9]+)\/[0-9a-f]+\.png$/ },
  { kind: 'batch', id: /^batches\/[^/]+\/((?:batch|run)_[A-Za-z0-9]+)\// },
  { kind: 'feed', id: /^feeds\/[^/]+\/(feed_[A-Za-z0-9]+)\// },
];

/** Returns the owner of a blob, or nothing if its key names none. */
export function blobOwner(key: string): BlobOwner | undefined {
  for (const { kind, id: pattern } of OWNERS) {
    const id = pattern.exec(key)?.[1];
    if (id) return { kind, id };
  }
  return undefined;
}

const MANIFEST_KEYS: Readonly<
  Record<BlobOwner['kind'], (clientSegment: string, id: string) => string>
> = {
  job: (client, id) => `${INPUT_PREFIX}${client}/${id}`,
  batch: (client, id) => `${BATCHES_PREFIX}${client}/${id}/batch.json`,
  feed: (client, id) => `${FEEDS_PREFIX}${client}/${id}/feed.json`,
};

/** Returns the key of the manifest of the job, batch or feed that a blob belongs to, or nothing if its key names none. */
export function manifestKeyOf(key: string): string | undefined {
  const owner = blobOwner(key);
  return owner && MANIFEST_KEYS[owner.kind](clientOf(key), owner.id);
}

/** Everything a cut-out depends on: equal inputs give the same image. */
export interface CacheInputs {
  client: string;
  /** Of the input, hex. */
  sha256: string;
  /** `id@version` */
  model: string;
  /** Everything else that changes the pixels. */
  options: object;
}

export function cutOutPrefix({ client, sha256, model, options }: CacheInputs): string {
  const pipeline = `${model.replace('@', '-')}-${digest(JSON.stringify(options)).slice(0, 8)}`;
  return `${OUTPUT_PREFIX}${segment(client)}/${sha256}/${pipeline}/`;
}

/**
 * The key of one owner's copy of a cut-out. Owners share no copies: each is deleted with its owner.
 * @param ownerId of a job, or of a batch
 * @param extension of its format, as in file names
 */
export const cutOutKey = (inputs: CacheInputs, ownerId: string, extension = 'png'): string =>
  `${cutOutPrefix(inputs)}${ownerId}.${extension}`;

/** The prefix of the cut-outs of the garments in one owner's image. @param sha256 of the image, hex */
export const garmentsPrefix = (client: string, sha256: string, ownerId: string): string =>
  `${OUTPUT_PREFIX}${segment(client)}/${sha256}/garments/${ownerId}/`;

/**
 * The key of the cut-out of one garment.
 * @param fileSha256 of the file, hex: a later release that separates otherwise replaces no file of an earlier one
 */
export const garmentKey = (prefix: string, fileSha256: string): string =>
  `${prefix}${fileSha256}.png`;

/** Returns the keys of the cut-outs of an outfit's garments; none without an outfit. */
export const garmentKeys = (
  prefix: string,
  outfit: { files: readonly { sha256: string }[] } | undefined,
): string[] => outfit?.files.map(({ sha256 }) => garmentKey(prefix, sha256)) ?? [];

/** Hashes a client's name to one safe segment of a key. */
export const segment = (name: string): string => digest(name).slice(0, 32);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
