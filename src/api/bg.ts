import { z } from 'zod';
import { parse, queryFlag } from '../http/parse.ts';
import { type Preference, preferenceApplied, readPrefer } from '../http/prefer.ts';
import { type Call, json, type Reply, type Route, route } from '../http/route.ts';
import { optionsOf, type Quality } from '../jobs/quality.ts';
import { UNDER_WAY } from '../jobs/records.ts';
import { Problem } from '../problem.ts';
import type { ImageWork } from './image-work.ts';
import { OUTPUT_SECONDS, QualityWish } from './intake-request.ts';
import { accepted, type Intake } from './intake-work.ts';
import { JobAnswer } from './job-answer.ts';

const Query = z.object({
  return_base64: queryFlag
    .optional()
    .meta({ description: '`true` selects base64: JSON in, JSON out' }),
});
type Query = z.infer<typeof Query>;

/** Beside the image. */
const Fields = z.object({ quality: QualityWish });

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A finished cut-out, whichever way it was made. */
interface CutOut {
  png: Uint8Array;
  bytes: number;
  model: string;
}

function checkPng({ png, bytes }: CutOut): void {
  const isPng = PNG_SIGNATURE.equals(png.subarray(0, PNG_SIGNATURE.length));
  if (isPng && png.length === bytes) return;
  throw new Problem('upstream-failed', 'The cut-out came back damaged; try again');
}

const serverTiming = (millis: Readonly<Record<string, number>>): string =>
  Object.entries(millis)
    .map(([name, value]) => `${name};dur=${value.toFixed(1)}`)
    .join(', ');

function cutOutReply(done: CutOut, asBase64: boolean, more: Record<string, string>): Reply {
  checkPng(done);
  const png = Buffer.from(done.png.buffer, done.png.byteOffset, done.png.byteLength);
  const headers = { 'x-model': done.model, 'cache-control': 'no-store', ...more };
  return asBase64
    ? json({ image_base64: png.toString('base64') }, headers)
    : { headers: { ...headers, 'content-type': 'image/png' }, body: png };
}

/** For who would rather not wait: a job, and its result where it is done in the time they give. */
async function removeLater(
  { intake, maxWaitMillis }: RemovalParts,
  image: Uint8Array,
  call: Call<Query>,
  prefer: Preference,
  quality: Quality,
): Promise<Reply> {
  const operations = ['remove-background'] as const;
  const options = optionsOf(quality);
  const wish = { source: { image }, operations, options, outputSeconds: OUTPUT_SECONDS.usual };
  const applied = { 'preference-applied': preferenceApplied(prefer) };
  const waitMillis = Math.min((prefer.waitSeconds ?? 0) * 1000, maxWaitMillis);
  const job = await intake.startAndWait(wish, call, waitMillis);
  if (UNDER_WAY.includes(job.status)) {
    const { headers, ...answer } = accepted(job);
    return { ...answer, headers: { ...headers, ...applied } };
  }
  const { body, cutout } = await intake.result(job, call.signal);
  const png = Buffer.concat(await body.toArray());
  return cutOutReply({ png, ...cutout }, call.query.return_base64 ?? false, applied);
}

/** What background removal is built of. */
export interface RemovalParts {
  work: ImageWork;
  intake: Intake;
  /** The longest a client may ask to wait. */
  maxWaitMillis: number;
}

const handleRemoval =
  (parts: RemovalParts) =>
  async (call: Call<Query>): Promise<Reply> => {
    const asBase64 = call.query.return_base64 ?? false;
    if (asBase64 && !call.caller?.allowBase64) {
      throw new Problem(
        'base64-not-allowed',
        'Ask for the binary answer: multipart, no return_base64',
      );
    }
    const { image, fields, via } = await call.imageForm();
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
    const { quality } = parse(Fields, { ...fields }, 'request');
    const prefer = readPrefer(call.headers.prefer);
    if (prefer.respondAsync || prefer.waitSeconds !== undefined) {
      return removeLater(parts, image, call, prefer, quality);
    }
    const { png, result } = await parts.work.cutOut(image, call, quality);
    const timing = { 'server-timing': serverTiming(result.millis) };
    return cutOutReply({ png, ...result }, asBase64, timing);
  };

const Base64Request = z.object({
  image_base64: z.string().meta({ description: 'Base64, or data:image/<type>;base64,<data>' }),
  quality: QualityWish.optional(),
});
const Base64Answer = z.object({ image_base64: z.string().meta({ description: 'A PNG, base64' }) });
const MultipartRequest = z.object({
  image: z.string().meta({ format: 'binary', description: 'JPEG, PNG or WebP' }),
  quality: QualityWish.optional(),
});

/** The routes of background removal. */
export const removalRoutes = (parts: RemovalParts): Route[] => [
  route({
    method: 'POST',
    path: '/bg/v1/background-removals',
    scope: 'background-removal:process',
    summary: 'Remove the background of an image',
    description:
      'Send `multipart/form-data` with the file part `image` and get a transparent PNG; or, where the key allows it, JSON with `?return_base64=true`. `Prefer: respond-async` and `Prefer: wait=<seconds>` turn it into a job where the time is up.',
    query: Query,
    imageForm: { 'multipart/form-data': MultipartRequest, 'application/json': Base64Request },
    quota: 1,
    answers: {
      200: {
        description: 'The cut-out: RGBA, as large as the upright input, no metadata',
        content: { 'image/png': 'binary', 'application/json': Base64Answer },
        headers: ['X-Model', 'Server-Timing', 'Preference-Applied'],
      },
      202: {
        description: 'A job, as the client preferred',
        content: { 'application/json': JobAnswer },
        headers: ['Location', 'Retry-After', 'Preference-Applied'],
      },
    },
    problems: ['base64-not-allowed', 'upstream-failed'],
    handle: handleRemoval(parts),
  }),
];
