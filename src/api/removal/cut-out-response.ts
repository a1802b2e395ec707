import type { MediaSchemas, ResponseDoc } from '../../http/route.ts';
import { hasSignature, IMAGE_TYPES } from '../../output/formats.ts';
import type { MediaType } from '../../output/options.ts';
import type { RulesReport } from '../../output/rules/verdicts.ts';
import { Problem } from '../../platform/problem.ts';
import type { CutOutRecord } from '../../queue/job-data.ts';

/** Returns whether a picture meets its rules, and which not: `failed; fill-ratio, fringe`. */
export function rulesHeader({ verdicts, passed }: RulesReport): string {
  if (passed) return 'passed';
  const failed = verdicts.filter((verdict) => !verdict.passed).map(({ id }) => id);
  return `failed; ${failed.join(', ')}`;
}

export type CutOutQuality = Pick<
  CutOutRecord,
  'model' | 'confidence' | 'review' | 'rules' | 'alpha'
>;

/** @see docs/output.md */
export const qualityHeaders = ({ model, confidence, review, rules, alpha }: CutOutQuality) => ({
  'x-model': model,
  'x-cutout-confidence': confidence.toFixed(3),
  ...(alpha && { 'x-cutout-alpha': alpha }),
  ...(review && { 'x-cutout-review-needed': String(review.needed) }),
  ...(review && review.reasons.length > 0 && { 'x-cutout-review': review.reasons.join(', ') }),
  ...(rules && { 'x-cutout-rules': rulesHeader(rules) }),
});

/** The headers of a stored cut-out that is sent unchanged. */
export const cutOutHeaders = (cutout: CutOutRecord): Record<string, string> => ({
  'content-type': cutout.mediaType,
  'content-length': String(cutout.bytes),
  'cache-control': 'private, no-store',
  ...qualityHeaders(cutout),
});

export interface CutOutFile {
  file: Uint8Array;
  /** Length of the file as the worker knows it. */
  bytes: number;
  mediaType: MediaType;
}

/** Returns the file, if it has the declared type and size. @throws Problem upstream-failed */
export function checkedFile({ file, bytes, mediaType }: CutOutFile): Buffer {
  if (hasSignature(file, mediaType) && file.length === bytes) {
    return Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  }
  throw new Problem('upstream-failed', 'The cut-out was damaged; try again');
}

/** Returns the header `Server-Timing`. @param millis duration of each step */
export const serverTiming = (millis: Readonly<Record<string, number>>): string =>
  Object.entries(millis)
    .map(([name, value]) => `${name};dur=${value.toFixed(1)}`)
    .join(', ');

export const CUT_OUT_MEDIA: MediaSchemas = Object.fromEntries(
  IMAGE_TYPES.map((mediaType) => [mediaType, 'binary']),
);

export const CUT_OUT_HEADERS = [
  'X-Model',
  'X-Cutout-Alpha',
  'X-Cutout-Confidence',
  'X-Cutout-Review',
  'X-Cutout-Review-Needed',
  'X-Cutout-Rules',
] as const;

export const cutOutResponseDoc: ResponseDoc = {
  description: 'The cut-out: a PNG unless the options select another format',
  content: CUT_OUT_MEDIA,
  headers: CUT_OUT_HEADERS,
  name: 'CutOut',
};
