import { z } from 'zod';
import { limitHeaders } from '../../../http/limits.ts';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Problem } from '../../../platform/problem.ts';
import { requireRateLimitStatus } from '../../caller.ts';
import type { ImageRequests } from '../image-requests.ts';
import { toProblemReply, withRemoveBgCodes } from './errors.ts';
import { ParameterForm } from './parameters.ts';
import { rateHeaders } from './rate-headers.ts';
import { type ReadImage, readRequest } from './request.ts';
import { asksForJson, imageReply } from './response.ts';

/** What the remove.bg routes need. */
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
    if (asksForJson(call) && !call.caller?.allowBase64) {
      throw new Problem('base64-not-allowed', 'Request the image itself: Accept: image/*');
    }
    const { cutOut, subject } = readRequest(form, readImage);
    const result = await withRemoveBgCodes(images.cutOut(cutOut, call));
    return imageReply(result, subject, call, now());
  };

/** One credit is one unit of the daily quota. */
function account(call: Call, nowMillis: number): Reply {
  const rateLimit = requireRateLimitStatus(call);
  const { remaining } = rateLimit.quota;
  const credits = { total: remaining, subscription: remaining, payg: 0, enterprise: 0 };
  const attributes = { credits, api: { free_calls: 0, sizes: 'all' } };
  return json({ data: { attributes } }, rateHeaders(limitHeaders(rateLimit), nowMillis));
}

const PATH = '/compat/removebg/v1.0';

/** What all routes have in common. */
const commonSpec = (now: Clock): Pick<Route, 'keyHeader' | 'problemReply'> => ({
  keyHeader: 'x-api-key',
  problemReply: (problem) => toProblemReply(problem, now()),
});

const ImageJson = z.object({
  data: z.object({
    result_b64: z.string(),
    foreground_top: z.number(),
    foreground_left: z.number(),
    foreground_width: z.number(),
    foreground_height: z.number(),
  }),
});
const Credits = z.object({
  total: z.number(),
  subscription: z.number(),
  payg: z.number(),
  enterprise: z.number(),
});
const Account = z.object({
  data: z.object({
    attributes: z.object({
      credits: Credits,
      api: z.object({ free_calls: z.number(), sizes: z.string() }),
    }),
  }),
});

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const IMAGE_HEADERS = [
  'X-Type',
  'X-Width',
  'X-Height',
  'X-Credits-Charged',
  'X-Model',
  'X-Foreground-Top',
  'X-Foreground-Left',
  'X-Foreground-Width',
  'X-Foreground-Height',
];

/** The routes compatible with remove.bg's API, for existing clients. */
export const removeBgRoutes = (deps: RemoveBgDeps): Route[] => [
  route({
    ...commonSpec(deps.now),
    method: 'POST',
    path: `${PATH}/removebg`,
    scope: 'background-removal:process',
    summary: 'Remove the background of an image, as remove.bg does',
    description:
      'Parameters, headers and errors of remove.bg, version 1.0. Send the key in `X-Api-Key`. Send the image as the file `image_file`, as `image_file_b64` or as `image_url`; the background as `bg_color`, `bg_image_url` or the file `bg_image_file`.',
    form: {
      'multipart/form-data': ParameterForm.extend({
        image_file: z.string().meta({ format: 'binary' }).optional(),
        bg_image_file: z.string().meta({ format: 'binary' }).optional(),
      }),
      'application/x-www-form-urlencoded': ParameterForm,
      'application/json': ParameterForm,
    },
    quota: 1,
    responses: {
      200: {
        description: 'The image in the requested format; JSON if the client accepts nothing else',
        content: {
          'image/png': 'binary',
          'image/jpeg': 'binary',
          'image/webp': 'binary',
          'application/zip': 'binary',
          'application/json': ImageJson,
        },
        headers: [...IMAGE_HEADERS, ...RATE_HEADERS],
      },
    },
    problems: ['base64-not-allowed', 'upstream-failed'],
    handle: removeBackground(deps),
  }),
  route({
    ...commonSpec(deps.now),
    method: 'GET',
    path: `${PATH}/account`,
    scope: 'any-key',
    summary: 'Get the remaining daily quota in remove.bg’s format',
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
