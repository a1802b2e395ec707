import { posix } from 'node:path';
import { z } from 'zod';
import { extensionOf } from '../../output/options.ts';
import { CutOutReview } from '../../output/review.ts';
import { jsonOr } from '../../platform/json.ts';
import type { SourceObject } from '../../queue/job-data.ts';
import { isRejected } from '../batches/batch-files.ts';
import type { RowOutcome } from '../batches/row-reader.ts';

const MAX_SEGMENT_BYTES = 240;
const MAX_NAME_BYTES = 900;
/** Control characters, and what Unicode has no character for. */
const UNSAFE = /[\p{Cc}\p{Cs}\\]/u;

/**
 * Returns why an object gets no result, or nothing: its name becomes that of a file or of another object.
 * @param name below the prefix or folder of its source
 */
export function nameProblem(name: string): string | undefined {
  if (UNSAFE.test(name)) return 'The name has a control character or a backslash; rename it';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'The name is too long; shorten it';
  for (const segment of name.split('/')) {
    if (['', '.', '..'].includes(segment))
      return 'The name has an empty segment, "." or ".."; rename it';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return 'A part of the name is too long; shorten it';
  }
  return undefined;
}

/** Returns the names that a result may have, the best first, without the extension of its format. */
export function outputNames(name: string): [string, string] {
  const { dir, name: stem } = posix.parse(name);
  // `a.jpg` and `a.jpeg` cannot both become `a.png`.
  return [posix.join(dir, stem), name];
}

/** Where the manifests are, below the place of results. */
export const MANIFESTS = 'selvage-manifest/';
const EXTENSION = '.jsonl';

/** An object beside the results, written to learn whether they can be. */
export const PROBE = '.selvage-writable';

export const isManifest = (name: string): boolean => name.endsWith(EXTENSION);

/** Returns the name of the manifest of a batch: by name they are in the order of time. */
export const manifestName = ({ id, createdAt }: { id: string; createdAt: string }): string =>
  `${MANIFESTS}${createdAt.replaceAll(/[-:.]/g, '')}-${id}${EXTENSION}`;

/** One version of an object, and what became of it. */
const ManifestLine = z.object({
  input: z.string(),
  /** ETag, or size and time of the last change. */
  version: z.string(),
  bytes: z.number(),
  status: z.enum(['succeeded', 'failed', 'rejected']),
  output: z.string().optional(),
  /** Of the output, hex. */
  sha256: z.string().optional(),
  outputBytes: z.number().optional(),
  /** 0..1 */
  confidence: z.number().optional(),
  review: CutOutReview.optional(),
  problem: z.object({ type: z.string(), detail: z.string() }).optional(),
});
export type ManifestLine = z.infer<typeof ManifestLine>;

export const outputName = (
  { name, output = name }: SourceObject,
  mediaType: Parameters<typeof extensionOf>[0],
): string => `${output}.${extensionOf(mediaType)}`;

/** Returns the object of a row. @throws Error if the row is of no source */
export function objectOf({ row }: RowOutcome): SourceObject {
  if (isRejected(row) && row.object) return row.object;
  if (!isRejected(row) && 'object' in row.source) return row.source.object;
  throw new Error(`row ${row.row} has no object`);
}

/** Returns the line of a row; undefined if the row has not ended for good. */
export function toManifestLine(outcome: RowOutcome): ManifestLine | undefined {
  const { row, result } = outcome;
  const object = objectOf(outcome);
  const { name: input, version, bytes } = object;
  const about = { input, version, bytes };
  if (isRejected(row)) return { ...about, status: 'rejected', problem: row.problem };
  if (!result || (result.status === 'failed' && result.problem.type === 'upstream-unavailable'))
    return undefined;
  if (result.status === 'failed') {
    const { type, detail } = result.problem;
    return { ...about, status: 'failed', problem: { type, detail } };
  }
  const { cutout } = result.results;
  if (!cutout) return undefined;
  return {
    ...about,
    status: 'succeeded',
    output: outputName(object, cutout.mediaType),
    sha256: cutout.sha256,
    outputBytes: cutout.bytes,
    confidence: cutout.confidence,
    ...(cutout.review && { review: cutout.review }),
  };
}

/** Returns the line of an object that is not tried again. */
export const toGivenUpLine = (
  object: Pick<SourceObject, 'name' | 'version'> & { bytes?: number; reason: string },
): ManifestLine => ({
  input: object.name,
  version: object.version,
  bytes: object.bytes ?? 0,
  status: 'failed',
  problem: {
    type: 'upstream-unavailable',
    detail: `Given up after several attempts: ${object.reason}`,
  },
});

export const formatManifest = (lines: readonly ManifestLine[]): Buffer =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** Parses a manifest; skips lines that are none. */
export const parseManifest = (bytes: Uint8Array): ManifestLine[] =>
  Buffer.from(bytes)
    .toString()
    .split('\n')
    .flatMap((text) => ManifestLine.safeParse(jsonOr(text)).data ?? []);
