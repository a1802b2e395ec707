import { z } from 'zod';
import { limitHeaders } from '../../../http/limits.ts';
import { type Call, filePart, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Problem } from '../../../platform/problem.ts';
import { CUT_OUT_MEDIA } from '../cut-out-response.ts';
import type { ImageRequests } from '../image-requests.ts';
import { rateHeaders, toProblemReply, withRemoveBgCodes } from './errors.ts';
import { ParameterForm } from './parameters.ts';
import { type ReadImage, readRequest } from './request.ts';
import { asksForJson, imageReply } from './response.ts';

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
