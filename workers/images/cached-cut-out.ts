import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CutOutOptions } from '../../src/output/options.ts';
import { Foreground, KeptAlpha, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import { Measurements, measurementsOf, reportOf } from '../../src/output/rules/verdicts.ts';
import { CutOut, type CutOutRecord } from '../../src/queue/job-data.ts';
import { type CacheInputs, cutOutPrefix } from '../../src/storage/blob-keys.ts';
import { type BlobHead, type Blobs, copyIfPresent, ifPresent } from '../../src/storage/blobs.ts';

interface CutOutCacheQuery extends CacheInputs {
  /** The owner's key for the cut-out: `cutOutKey`, or among the images of a feed. */
  outputKey: string;
  /** The rules it is judged by, if there are any. */
  judgedBy?: Pick<CutOutOptions, 'rules' | 'rulePack'> | undefined;
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The first word of a stored review that asks for a person. */
const NEEDED = 'needed';

/** The metadata of a stored cut-out, which saves later jobs with the same image from decoding it. */
const CutOutMetadata = z.object({
  width: z.coerce.number(),
  height: z.coerce.number(),
  sha256: z.string(),
  model: z.string(),
  confidence: z.coerce.number(),
  /** Four numbers; absent if there is no subject, and in old blobs. */
  foreground: z
    .string()
    .transform((text) => text.split(' ').map(Number))
    .transform(([left, top, width, height]) => ({ left, top, width, height }))
    .pipe(Foreground)
    .optional(),
  /** `needed` or `unneeded`, then the reasons; absent in old blobs. */
  review: z
    .string()
    .transform((text) => text.split(' '))
    .transform(([need, ...reasons]) => ({ needed: need === NEEDED, reasons }))
    .pipe(CutOutReview)
    .optional(),
  /** Absent if there is no subject, and in old blobs. */
  fingerprint: z.string().optional(),
  /** What was measured for its rules, as JSON: storage allows 2 KB, and the pack knows the rest. */
  measured: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(Measurements)
    .optional(),
  alpha: KeptAlpha,
});

function readHead(
  { bytes, mediaType, meta }: BlobHead,
  { rules = '', rulePack }: NonNullable<CutOutCacheQuery['judgedBy']> = {},
): CutOutRecord {
  const { measured, ...facts } = CutOutMetadata.parse(meta);
  const report = measured && rulePack && reportOf(measured, rules, rulePack);
  return {
    bytes,
    mediaType: MediaType.parse(mediaType),
    ...facts,
    ...(report && { rules: report }),
  };
}

const formatBox = ({ left, top, width, height }: Foreground): string =>
  [left, top, width, height].join(' ');

const formatReview = ({ needed, reasons }: CutOutReview): string =>
  [needed ? NEEDED : 'unneeded', ...reasons].join(' ');

/** Returns the head of a blob if its bytes are those that were written. */
async function soundHead(
  blobs: Blobs,
  key: string,
  signal: AbortSignal,
): Promise<BlobHead | undefined> {
  const head = await blobs.head(key, signal);
  if (!head) return undefined;
  const bytes = await ifPresent(blobs.get(key, signal));
  return bytes && sha256Of(bytes) === head.meta.sha256 ? head : undefined;
}

/**
 * Finds a sound cut-out that was made before: by an earlier attempt of the same owner, or by another owner of the
 * same client, whose blob is then copied.
 */
export async function cachedCutOut(
  blobs: Blobs,
  { outputKey, judgedBy, ...cacheInputs }: CutOutCacheQuery,
  signal: AbortSignal,
): Promise<CutOutRecord | undefined> {
  const own = await soundHead(blobs, outputKey, signal);
  if (own) return readHead(own, judgedBy);
  for await (const { key } of blobs.list(cutOutPrefix(cacheInputs), signal)) {
    const head = await soundHead(blobs, key, signal);
    // A concurrent attempt of the same job may have written the key itself.
    if (!head || (key !== outputKey && !(await copyIfPresent(blobs, key, outputKey, signal))))
      continue;
    return readHead(head, judgedBy);
  }
  return undefined;
}

/** Writes a new cut-out under its owner's key. */
export async function storeCutOut(
  blobs: Blobs,
  outputKey: string,
  { file, ...cutOut }: { file: Uint8Array } & Omit<CutOutRecord, 'bytes' | 'sha256'>,
  signal: AbortSignal,
): Promise<CutOutRecord> {
  const record = CutOut.parse({ ...cutOut, bytes: file.length, sha256: sha256Of(file) });
  const { mediaType, bytes: _, foreground, review, rules, ...facts } = record;
  const formatted = {
    ...facts,
    ...(foreground && { foreground: formatBox(foreground) }),
    ...(review && { review: formatReview(review) }),
    ...(rules && { measured: JSON.stringify(measurementsOf(rules)) }),
  };
  const known = Object.entries(formatted).filter(([, value]) => value !== undefined);
  const meta = Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
  await blobs.put(outputKey, file, { mediaType, meta }, signal);
  return record;
}
