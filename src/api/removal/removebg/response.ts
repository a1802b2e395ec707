import { limitHeaders } from '../../../http/limits.ts';
import { type Call, json, type Reply } from '../../../http/route.ts';
import type { Foreground } from '../../../output/options.ts';
import { Problem } from '../../../platform/problem.ts';
import type { JobResult } from '../../../queue/catalog.ts';
import { qualityHeaders } from '../cut-out-response.ts';
import { removebgProblem } from './errors.ts';
import { rateHeaders } from './rate-headers.ts';
import { maxMegapixels } from './sizes.ts';

/** A finished picture, and what the worker says of it. */
export interface Done {
  file: Uint8Array;
  result: JobResult<'remove-background'>;
}

/** Units of the daily quota. */
const CREDITS_CHARGED = '1';

const wordsOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim() ?? '');

/** Clients that take anything are sent the picture, also where they name JSON first. */
export function asksForJson({ headers }: Pick<Call, 'headers'>): boolean {
  const ranges = wordsOf(headers.accept);
  const takesPicture = ranges.some((range) => range === '*/*' || range.startsWith('image/'));
  return ranges.includes('application/json') && !takesPicture;
}

/** What the result would measure in the largest size there is. */
function largest({ whole: { width, height }, mediaType }: Done['result']) {
  const mostPixels = maxMegapixels(mediaType === 'image/png') * 1e6;
  const factor = Math.min(1, Math.sqrt(mostPixels / (width * height)));
  return { width: Math.floor(width * factor), height: Math.floor(height * factor) };
}

const headersOf = (result: Done['result'], box: Foreground, subject: string | undefined) => ({
  ...(subject && { 'x-type': subject }),
  'x-width': String(result.width),
  'x-height': String(result.height),
  'x-max-width': String(largest(result).width),
  'x-max-height': String(largest(result).height),
  'x-credits-charged': CREDITS_CHARGED,
  'x-foreground-top': String(box.top),
  'x-foreground-left': String(box.left),
  'x-foreground-width': String(box.width),
  'x-foreground-height': String(box.height),
  ...qualityHeaders(result),
  'cache-control': 'no-store',
});

/**
 * The answer of remove.bg: the picture, or JSON that holds it in base64.
 * @throws Problem unknown_foreground
 */
export function imageReply({ file, result }: Done, subject: string | undefined, call: Call): Reply {
  const { foreground: box } = result;
  if (!box) {
    const detail = 'Nothing in the image stands out from what is around it';
    throw removebgProblem({ pointer: '', code: 'unknown_foreground', detail });
  }
  if (file.length !== result.bytes) {
    throw new Problem('upstream-failed', 'The picture came back damaged; try again');
  }
  const rate = call.standing && rateHeaders(limitHeaders(call.standing));
  const headers = { ...rate, ...headersOf(result, box, subject) };
  const body = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!asksForJson(call)) {
    return { headers: { ...headers, 'content-type': result.mediaType }, body };
  }
  const sides = Object.entries(box).map(([side, pixels]) => [`foreground_${side}`, pixels]);
  const data = { result_b64: body.toString('base64'), ...Object.fromEntries(sides) };
  return json({ data }, headers);
}
