import { limitHeaders } from '../../../http/limits.ts';
import { type Call, json, type Reply } from '../../../http/route.ts';
import type { Foreground } from '../../../output/options.ts';
import { Problem } from '../../../platform/problem.ts';
import type { JobResult } from '../../../queue/catalog.ts';
import { qualityHeaders } from '../cut-out-response.ts';
import { rateHeaders, requestProblem } from './errors.ts';
import { maxMegapixels } from './parameters.ts';

interface CutOutResult {
  file: Uint8Array;
  result: JobResult<'remove-background'>;
}

/** One credit is one unit of the daily quota. */
const CREDITS_CHARGED = '1';

const mediaRanges = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim() ?? '');

/** Reports whether a client accepts JSON but no image. A client that accepts both gets the image. */
export function asksForJson({ headers }: Pick<Call, 'headers'>): boolean {
  const ranges = mediaRanges(headers.accept);
  const acceptsImage = ranges.some((range) => range === '*/*' || range.startsWith('image/'));
  return ranges.includes('application/json') && !acceptsImage;
}

function maxDimensions({ whole: { width, height }, mediaType }: CutOutResult['result']) {
  const maxPixels = maxMegapixels(mediaType === 'image/png') * 1e6;
  const factor = Math.min(1, Math.sqrt(maxPixels / (width * height)));
  return { width: Math.floor(width * factor), height: Math.floor(height * factor) };
}

const resultHeaders = (
  result: CutOutResult['result'],
  box: Foreground,
  subject: string | undefined,
) => ({
  ...(subject && { 'x-type': subject }),
  'x-width': String(result.width),
  'x-height': String(result.height),
  'x-max-width': String(maxDimensions(result).width),
  'x-max-height': String(maxDimensions(result).height),
  'x-credits-charged': CREDITS_CHARGED,
  'x-foreground-top': String(box.top),
  'x-foreground-left': String(box.left),
  'x-foreground-width': String(box.width),
  'x-foreground-height': String(box.height),
  ...qualityHeaders(result),
  'cache-control': 'no-store',
});

/** Returns remove.bg's response: the image, or JSON that contains it as base64. @throws Problem unknown_foreground */
export function imageReply(
  { file, result }: CutOutResult,
  subject: string | undefined,
  call: Call,
  nowMillis: number,
): Reply {
  const { foreground: box } = result;
  if (!box) {
    const detail = 'Nothing in the image can be distinguished from its surroundings';
    throw requestProblem('unknown_foreground', detail);
  }
  if (file.length !== result.bytes) {
    throw new Problem('upstream-failed', 'The image was damaged; try again');
  }
  const rate = call.rateLimit && rateHeaders(limitHeaders(call.rateLimit), nowMillis);
  const headers = { ...rate, ...resultHeaders(result, box, subject) };
  const body = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!asksForJson(call)) {
    return { headers: { ...headers, 'content-type': result.mediaType }, body };
  }
  const foreground = Object.entries(box).map(([side, pixels]) => [`foreground_${side}`, pixels]);
  const data = { result_b64: body.toString('base64'), ...Object.fromEntries(foreground) };
  return json({ data }, headers);
}
