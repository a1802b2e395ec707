import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Foreground, MediaType } from '../src/output/options.ts';
import type { CutOutRecord } from '../src/queue/job-data.ts';
import { type CacheInputs, cutOutPrefix } from '../src/storage/blob-keys.ts';
import { type BlobHead, BlobMissing, type Blobs } from '../src/storage/blobs.ts';

/** A cut-out that somebody wants to keep. */
export interface CutOutCacheQuery extends CacheInputs {
  /** Where its holder keeps it: `cutOutKey`, or among the images of a feed. */
  outputKey: string;
}

/** What is kept with a cut-out, so that a later job with the same image need not look at it. */
const KeptFacts = z.object({
  width: z.coerce.number(),
  height: z.coerce.number(),
  sha256: z.string(),
  model: z.string(),
  confidence: z.coerce.number(),
  /** Four numbers; absent where there is no subject, and in blobs of before. */
  foreground: z
    .string()
    .transform((text) => text.split(' ').map(Number))
    .transform(([left, top, width, height]) => ({ left, top, width, height }))
    .pipe(Foreground)
    .optional(),
});

const readKept = ({ bytes, mediaType, meta }: BlobHead): CutOutRecord => ({
  bytes,
  mediaType: MediaType.parse(mediaType),
  ...KeptFacts.parse(meta),
});

const writeBox = ({ left, top, width, height }: Foreground): string =>
  [left, top, width, height].join(' ');

/** Copies a blob; false where its holder deleted it at this moment. */
async function copied(blobs: Blobs, from: string, to: string, signal: AbortSignal) {
  try {
    await blobs.copy(from, to, signal);
    return true;
  } catch (error) {
    if (error instanceof BlobMissing) return false;
    throw error;
  }
}

/**
 * A cut-out that need not be made: its holder's own of an earlier attempt, or a copy of what another
 * holder of the same client has.
 */
export async function cachedCutOut(
  blobs: Blobs,
  { outputKey, ...makings }: CutOutCacheQuery,
  signal: AbortSignal,
): Promise<CutOutRecord | undefined> {
  const own = await blobs.head(outputKey, signal);
  if (own) return readKept(own);
  for await (const { key } of blobs.list(cutOutPrefix(makings), signal)) {
    // Another attempt of the same job may have been faster.
    if (key !== outputKey && !(await copied(blobs, key, outputKey, signal))) continue;
    const copy = await blobs.head(outputKey, signal);
    return copy && readKept(copy);
  }
  return undefined;
}

/** Writes a cut-out that was just made under its holder's key. */
export async function storeCutOut(
  blobs: Blobs,
  outputKey: string,
  made: { file: Uint8Array } & Omit<CutOutRecord, 'bytes' | 'sha256'>,
  signal: AbortSignal,
): Promise<CutOutRecord> {
  const { file, width, height, model, confidence, mediaType, foreground } = made;
  const sha256 = createHash('sha256').update(file).digest('hex');
  const facts = { width, height, sha256, model, confidence };
  const box = foreground && { foreground: writeBox(foreground) };
  const meta = Object.fromEntries(
    Object.entries({ ...facts, ...box }).map(([name, value]) => [name, String(value)]),
  );
  await blobs.put(outputKey, file, { mediaType, meta }, signal);
  return { ...facts, mediaType, ...(foreground && { foreground }), bytes: file.length };
}
