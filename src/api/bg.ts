import { z } from 'zod';
import { queryFlag } from '../http/parse.ts';
import { type Call, json, type Reply, type Route, route } from '../http/route.ts';
import { Problem } from '../problem.ts';
import type { ImageWork } from './image-work.ts';

const Query = z.object({
  return_base64: queryFlag
    .optional()
    .meta({ description: '`true` selects base64: JSON in, JSON out' }),
});
type Query = z.infer<typeof Query>;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

type CutOut = Awaited<ReturnType<ImageWork['cutOut']>>;

function checkPng({ png, result }: CutOut): void {
  const isPng = PNG_SIGNATURE.equals(png.subarray(0, PNG_SIGNATURE.length));
  if (isPng && png.length === result.bytes) return;
  throw new Problem('upstream-failed', 'The cut-out came back damaged; try again');
}

const serverTiming = (millis: Readonly<Record<string, number>>): string =>
  Object.entries(millis)
    .map(([name, value]) => `${name};dur=${value.toFixed(1)}`)
    .join(', ');

const handleRemoval =
  (work: ImageWork) =>
  async (call: Call<Query>): Promise<Reply> => {
    const asBase64 = call.query.return_base64 ?? false;
    if (asBase64 && !call.caller?.allowBase64) {
      throw new Problem(
        'base64-not-allowed',
        'Ask for the binary answer: multipart, no return_base64',
      );
    }
    const { image, via } = await call.imageForm();
    if (via === 'json' && !asBase64) {
      throw new Problem('invalid-request', 'JSON bodies need the query ?return_base64=true', {
        errors: [{ pointer: '?return_base64', detail: 'must be true in JSON mode' }],
      });
    }
    if (!image) {
      const pointer = via === 'json' ? '/image_base64' : 'image';
      throw new Problem(
        'invalid-request',
        `There is no image; send it as "${pointer.replace('/', '')}"`,
        {
          errors: [{ pointer, detail: 'is missing' }],
        },
      );
    }
    const done = await work.cutOut(image, call);
    checkPng(done);
    const headers = {
      'x-model': done.result.model,
      'cache-control': 'no-store',
      'server-timing': serverTiming(done.result.millis),
    };
    return asBase64
      ? json({ image_base64: Buffer.from(done.png).toString('base64') }, headers)
      : {
          headers: { ...headers, 'content-type': 'image/png' },
          body: Buffer.from(done.png.buffer, done.png.byteOffset, done.png.byteLength),
        };
  };

const Base64Request = z.object({
  image_base64: z.string().meta({ description: 'Base64, or data:image/<type>;base64,<data>' }),
});
const Base64Answer = z.object({ image_base64: z.string().meta({ description: 'A PNG, base64' }) });
const MultipartRequest = z.object({
  image: z.string().meta({ format: 'binary', description: 'JPEG, PNG or WebP' }),
});

/** The routes of background removal. */
export const removalRoutes = (work: ImageWork): Route[] => [
  route({
    method: 'POST',
    path: '/bg/v1/background-removals',
    scope: 'background-removal:process',
    summary: 'Remove the background of an image',
    description:
      'Send `multipart/form-data` with the file part `image` and get a transparent PNG; or, where the key allows it, JSON with `?return_base64=true`.',
    query: Query,
    imageForm: { 'multipart/form-data': MultipartRequest, 'application/json': Base64Request },
    quota: 1,
    answers: {
      200: {
        description: 'The cut-out: RGBA, as large as the upright input, no metadata',
        content: { 'image/png': 'binary', 'application/json': Base64Answer },
        headers: ['X-Model', 'Server-Timing'],
      },
    },
    problems: ['base64-not-allowed', 'upstream-failed'],
    handle: handleRemoval(work),
  }),
];
