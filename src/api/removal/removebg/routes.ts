import { z } from 'zod';
import { limitHeaders } from '../../../http/limits.ts';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import { Problem } from '../../../platform/problem.ts';
import type { ImageRequests } from '../image-requests.ts';
import { explained, problemReply } from './errors.ts';
import { ParameterForm } from './parameters.ts';
import { rateHeaders } from './rate-headers.ts';
import { type ReadImage, readRequest } from './request.ts';
import { asksForJson, imageReply } from './response.ts';

/** What the door is built of. */
export interface RemoveBgDeps {
  work: Pick<ImageRequests, 'cutOut' | 'turnAway'>;
  readImage: ReadImage;
}

const removeBackground =
  ({ work, readImage }: RemoveBgDeps) =>
  async (call: Call): Promise<Reply> => {
    work.turnAway();
    const form = await call.form();
    if (asksForJson(call) && !call.caller?.allowBase64) {
      throw new Problem('base64-not-allowed', 'Ask for the picture itself: Accept: image/*');
    }
    const { wish, subject } = readRequest(form, readImage);
    const done = await explained(work.cutOut(wish, call));
    return imageReply(done, subject, call);
  };

/** A credit is a unit of the daily quota. */
function account({ standing }: Call): Reply {
  if (!standing) throw new Error('a keyed route without a caller');
  const { remaining } = standing.quota;
  const credits = { total: remaining, subscription: remaining, payg: 0, enterprise: 0 };
  const attributes = { credits, api: { free_calls: 0, sizes: 'all' } };
  return json({ data: { attributes } }, rateHeaders(limitHeaders(standing)));
}

const PATH = '/compat/removebg/v1.0';
const DOOR = { keyHeader: 'x-api-key', problemReply };

const PictureJson = z.object({
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
const PICTURE_HEADERS = [
  ...['X-Type', 'X-Width', 'X-Height', 'X-Credits-Charged', 'X-Model'],
  ...['X-Foreground-Top', 'X-Foreground-Left', 'X-Foreground-Width', 'X-Foreground-Height'],
];

/** The API of remove.bg, for clients that know no other. */
export const removeBgRoutes = (deps: RemoveBgDeps): Route[] => [
  route({
    ...DOOR,
    method: 'POST',
    path: `${PATH}/removebg`,
    scope: 'background-removal:process',
    summary: 'Remove the background of an image, as remove.bg does',
    description:
      'Parameters, headers and errors of remove.bg, version 1.0. The key comes in `X-Api-Key`. The image is the file `image_file`, or `image_file_b64`, or `image_url`; the background `bg_color`, `bg_image_url` or the file `bg_image_file`.',
    form: {
      'multipart/form-data': ParameterForm.extend({
        image_file: z.string().meta({ format: 'binary' }).optional(),
        bg_image_file: z.string().meta({ format: 'binary' }).optional(),
      }),
      'application/x-www-form-urlencoded': ParameterForm,
      'application/json': ParameterForm,
    },
    quota: 1,
    answers: {
      200: {
        description: 'The picture in the format asked for; JSON where only that is accepted',
        content: {
          ...{ 'image/png': 'binary', 'image/jpeg': 'binary', 'image/webp': 'binary' },
          ...{ 'application/zip': 'binary', 'application/json': PictureJson },
        },
        headers: [...PICTURE_HEADERS, ...RATE_HEADERS],
      },
    },
    problems: ['base64-not-allowed', 'upstream-failed'],
    handle: removeBackground(deps),
  }),
  route({
    ...DOOR,
    method: 'GET',
    path: `${PATH}/account`,
    scope: 'any-key',
    summary: 'What is left of the daily quota, as remove.bg says it',
    answers: {
      200: {
        description: 'A credit is a unit of the daily quota',
        content: { 'application/json': Account },
        headers: RATE_HEADERS,
      },
    },
    handle: account,
  }),
];
