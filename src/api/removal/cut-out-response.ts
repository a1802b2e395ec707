import type { ResponseDoc } from '../../http/route.ts';
import type { CutOutRecord } from '../../queue/job-data.ts';

/** What every answer with a cut-out says of it. @see docs/output.md */
export const qualityHeaders = ({
  model,
  confidence,
}: Pick<CutOutRecord, 'model' | 'confidence'>) => ({
  'x-model': model,
  'x-cutout-confidence': confidence.toFixed(3),
});

/** The headers of a kept cut-out that is sent as it lies in the store. */
export const cutOutHeaders = (cutout: CutOutRecord): Record<string, string> => ({
  'content-type': cutout.mediaType,
  'content-length': String(cutout.bytes),
  'cache-control': 'private, no-store',
  ...qualityHeaders(cutout),
});

/** For the document: the formats a cut-out may come in. */
export const CUT_OUT_MEDIA = {
  'image/png': 'binary',
  'image/jpeg': 'binary',
  'image/webp': 'binary',
} as const;

export const CUT_OUT_HEADERS = ['X-Model', 'X-Cutout-Confidence'] as const;

/** For the document: such an answer. */
export const cutOutResponseDoc: ResponseDoc = {
  description: 'The cut-out, a PNG unless the options ask for another format',
  content: CUT_OUT_MEDIA,
  headers: CUT_OUT_HEADERS,
};
