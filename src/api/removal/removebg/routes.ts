import { z } from 'zod';
import { limitHeaders } from '../../../http/limits.ts';
import { type Call, filePart, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { Foreground } from '../../../output/options.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Problem } from '../../../platform/problem.ts';
import type { JobResult } from '../../../queue/catalog.ts';
import { CUT_OUT_MEDIA, qualityHeaders } from '../cut-out-response.ts';
import type { ImageRequests } from '../image-requests.ts';
import { rateHeaders, requestProblem, toProblemReply, withRemoveBgCodes } from './errors.ts';
import { maxMegapixels, ParameterForm } from './parameters.ts';
import { type ReadImage, readRequest } from './request.ts';

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
function asksForJson({ headers }: Pick<Call, 'headers'>): boolean {
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
function imageReply(
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

interface RemoveBgDeps {
  images: Pick<ImageRequests, 'cutOut' | 'shedIfBusy'>;
  readImage: ReadImage;
  now: Clock;
}

const removeBackground =
  ({ images, readImage, now }: RemoveBgDeps) =>
  async (call: Call): Promise<Reply> => {
    images.shedIfBusy(call);
    const form = await call.form();
    if (asksForJson(call) && !call.caller.allowBase64) {
      throw new Problem('base64-not-allowed', 'Request the image itself: Accept: image/*');
    }
    const { cutOut, subject } = readRequest(form, readImage);
    const result = await withRemoveBgCodes(images.cutOut(cutOut, call));
    return imageReply(result, subject, call, now());
  };

/** One credit is one unit of the daily quota. */
function account(call: Call, nowMillis: number): Reply {
  const rateLimit = call.rateLimit;
  const { remaining } = rateLimit.quota;
  const credits = { total: remaining, subscription: remaining, payg: 0, enterprise: 0 };
  const attributes = { credits, api: { free_calls: 0, sizes: 'all' } };
  return json({ data: { attributes } }, rateHeaders(limitHeaders(rateLimit), nowMillis));
}

const PATH = '/compat/removebg/v1.0';

const RemoveBgErrors = z
  .object({
    errors: z.array(z.object({ title: z.string(), code: z.string(), detail: z.string() })),
  })
  .meta({ id: 'RemoveBgErrors' });

const commonSpec = (now: Clock): Pick<Route, 'keyHeader' | 'problemReply' | 'problemSchema'> => ({
  keyHeader: 'x-api-key',
  problemReply: (problem) => toProblemReply(problem, now()),
  problemSchema: RemoveBgErrors,
});

const ImageJson = z
  .object({
    data: z.object({
      result_b64: z.string(),
      foreground_top: z.number(),
      foreground_left: z.number(),
      foreground_width: z.number(),
      foreground_height: z.number(),
    }),
  })
  .meta({ id: 'RemoveBgImage' });
const Credits = z.object({
  total: z.number(),
  subscription: z.number(),
  payg: z.number(),
  enterprise: z.number(),
});
const Account = z
  .object({
    data: z.object({
      attributes: z.object({
        credits: Credits,
        api: z.object({ free_calls: z.number(), sizes: z.string() }),
      }),
    }),
  })
  .meta({ id: 'RemoveBgAccount' });

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;
const IMAGE_HEADERS = [
  'X-Type',
  'X-Width',
  'X-Height',
  'X-Max-Width',
  'X-Max-Height',
  'X-Credits-Charged',
  'X-Model',
  'X-Cutout-Confidence',
  'X-Cutout-Review',
  'X-Cutout-Review-Needed',
  'X-Foreground-Top',
  'X-Foreground-Left',
  'X-Foreground-Width',
  'X-Foreground-Height',
] as const;

export const removeBgRoutes = (deps: RemoveBgDeps): Route[] => [
  route('removeBackgroundLikeRemoveBg', `POST ${PATH}/removebg`, {
    ...commonSpec(deps.now),
    scope: 'background-removal:process',
    form: {
      'multipart/form-data': ParameterForm.and(
        z.object({
          image_file: filePart('The image').optional(),
          bg_image_file: filePart('The background').optional(),
        }),
      ),
      'application/x-www-form-urlencoded': ParameterForm,
      'application/json': ParameterForm,
    },
    quota: 1,
    responses: {
      200: {
        description: 'The image in the requested format; JSON if the client accepts nothing else',
        content: {
          ...CUT_OUT_MEDIA,
          'application/zip': 'binary',
          'application/json': ImageJson,
        },
        headers: [...IMAGE_HEADERS, ...RATE_HEADERS],
      },
    },
    handle: removeBackground(deps),
  }),
  route('getRemoveBgAccount', `GET ${PATH}/account`, {
    ...commonSpec(deps.now),
    responses: {
      200: {
        description: 'One credit is one unit of the daily quota',
        content: { 'application/json': Account },
        headers: RATE_HEADERS,
      },
    },
    handle: (call) => account(call, deps.now()),
  }),
];
