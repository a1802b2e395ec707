import { z } from 'zod';
import type { ImageForm } from '../../http/image-body.ts';
import { parse, queryFlag } from '../../http/parse.ts';
import { type Preference, preferenceApplied, readPrefer } from '../../http/prefer.ts';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import { sniffFormat } from '../../imaging/sniff.ts';
import { PENDING_STATUSES } from '../../intake/job-records.ts';
import type { MediaType } from '../../output/options.ts';
import {
  BackgroundImage,
  checkConflicts,
  cutOutOptionsOf,
  outputFields,
  withoutBlanks,
} from '../../output/request.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { accepted, type JobActions } from '../intake/job-actions.ts';
import {
  BackgroundFile,
  BackgroundText,
  OUTPUT_SECONDS,
  QualityField,
} from '../intake/job-request.ts';
import { JobResponse } from '../intake/job-response.ts';
import { CUT_OUT_HEADERS, CUT_OUT_MEDIA, qualityHeaders } from './cut-out-response.ts';
import { backgroundOf, type CutOutRequest, type ImageRequests } from './image-requests.ts';

const Query = z.object({
  return_base64: queryFlag
    .optional()
    .meta({ description: '`true` selects base64: JSON in, JSON out' }),
});
type Query = z.infer<typeof Query>;

/** Beside the image. */
const Fields = z.preprocess(
  withoutBlanks,
  z
    .object({ quality: QualityField, ...outputFields, backgroundImage: BackgroundImage })
    .superRefine(checkConflicts),
);

/** A finished cut-out, whichever way it was made. */
interface CutOut {
  file: Uint8Array;
  bytes: number;
  mediaType: MediaType;
  model: string;
  confidence: number;
}

/** What is answered must be what it is said to be. */
function checkFile({ file, bytes, mediaType }: CutOut): void {
  if (`image/${sniffFormat(file)}` === mediaType && file.length === bytes) return;
  throw new Problem('upstream-failed', 'The cut-out came back damaged; try again');
}

const serverTiming = (millis: Readonly<Record<string, number>>): string =>
  Object.entries(millis)
    .map(([name, value]) => `${name};dur=${value.toFixed(1)}`)
    .join(', ');

function cutOutReply(done: CutOut, asBase64: boolean, more: Record<string, string>): Reply {
  checkFile(done);
  const { buffer, byteOffset, byteLength } = done.file;
  const file = Buffer.from(buffer, byteOffset, byteLength);
  const headers = { ...qualityHeaders(done), 'cache-control': 'no-store', ...more };
  return asBase64
    ? json({ image_base64: file.toString('base64') }, headers)
    : { headers: { ...headers, 'content-type': done.mediaType }, body: file };
}

/** For who would rather not wait: a job, and its result where it is done in the time they give. */
async function removeLater(
  { intake, maxWaitMillis }: RemovalDeps,
  wish: CutOutRequest,
  call: Call<Query>,
  prefer: Preference,
): Promise<Reply> {
  const operations = ['remove-background'] as const;
  const later = { ...wish, operations, outputSeconds: OUTPUT_SECONDS.usual };
  const applied = { 'preference-applied': preferenceApplied(prefer) };
  const waitMillis = Math.min((prefer.waitSeconds ?? 0) * 1000, maxWaitMillis);
  const job = await intake.startAndWait(later, call, waitMillis);
  if (PENDING_STATUSES.includes(job.status)) {
    const { headers, ...answer } = accepted(job);
    return { ...answer, headers: { ...headers, ...applied } };
  }
  const { body, cutout } = await intake.result(job, call.signal);
  const pieces = await body.toArray().catch((cause) => {
    throw unavailable('The store does not answer; try again', 1, cause);
  });
  const file = Buffer.concat(pieces);
  return cutOutReply({ file, ...cutout }, call.query.return_base64 ?? false, applied);
}

/** What background removal is built of. */
export interface RemovalDeps {
  work: ImageRequests;
  intake: JobActions;
  /** The longest a client may ask to wait. */
  maxWaitMillis: number;
}

/** What the fields beside an image ask for. @throws Problem invalid-request with every fault */
function readWish(image: Uint8Array, { fields, backgroundImage }: ImageForm): CutOutRequest {
  const sent = { ...fields, ...(backgroundImage && { backgroundImage }) };
  const options = cutOutOptionsOf(parse(Fields, sent, 'request'));
  return { source: { image }, options, background: backgroundOf(options, backgroundImage) };
}

function checkBase64(call: Call<Query>): void {
  if (!call.query.return_base64 || call.caller?.allowBase64) return;
  throw new Problem('base64-not-allowed', 'Ask for the binary answer: multipart, no return_base64');
}

/** @throws Problem where the form has no image, or is JSON without the query that goes with it */
function imageOf({ image, via }: ImageForm, asBase64: boolean): Uint8Array {
  if (via === 'json' && !asBase64) {
    throw new Problem('invalid-request', 'JSON bodies need the query ?return_base64=true', {
      errors: [{ pointer: '?return_base64', detail: 'must be true in JSON mode' }],
    });
  }
  if (image) return image;
  const pointer = via === 'json' ? '/image_base64' : 'image';
  throw new Problem(
    'invalid-request',
    `There is no image; send it as "${pointer.replace('/', '')}"`,
    { errors: [{ pointer, detail: 'is missing' }] },
  );
}

const handleRemoval =
  (deps: RemovalDeps) =>
  async (call: Call<Query>): Promise<Reply> => {
    const asBase64 = call.query.return_base64 ?? false;
    checkBase64(call);
    const prefer = readPrefer(call.headers.prefer);
    const isForLater = prefer.respondAsync || prefer.waitSeconds !== undefined;
    if (!isForLater) deps.work.turnAway();
    const form = await call.imageForm({ background: true });
    const wish = readWish(imageOf(form, asBase64), form);
    if (isForLater) return removeLater(deps, wish, call, prefer);
    const { file, result } = await deps.work.cutOut(wish, call);
    const timing = { 'server-timing': serverTiming(result.millis) };
    return cutOutReply({ file, ...result }, asBase64, timing);
  };

const base64Fields = { ...outputFields, backgroundImageBase64: BackgroundText.optional() };
const fileFields = { ...outputFields, backgroundImage: BackgroundFile.optional() };

const Base64Request = z.object({
  image_base64: z.string().meta({ description: 'Base64, or data:image/<type>;base64,<data>' }),
  quality: QualityField.optional(),
  ...base64Fields,
});
const Base64Answer = z.object({
  image_base64: z.string().meta({ description: 'The file, base64' }),
});
const MultipartRequest = z.object({
  image: z.string().meta({ format: 'binary', description: 'JPEG, PNG or WebP' }),
  quality: QualityField.optional(),
  ...fileFields,
});

/** The routes of background removal. */
export const removalRoutes = (deps: RemovalDeps): Route[] => [
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
        description:
          'The cut-out, no metadata: an RGBA PNG as large as the upright input, unless the fields ask for another look',
        content: { ...CUT_OUT_MEDIA, 'application/json': Base64Answer },
        headers: [...CUT_OUT_HEADERS, 'Server-Timing', 'Preference-Applied'],
      },
      202: {
        description: 'A job, as the client preferred',
        content: { 'application/json': JobResponse },
        headers: ['Location', 'Retry-After', 'Preference-Applied'],
      },
    },
    problems: ['base64-not-allowed', 'unprocessable-image', 'upstream-failed'],
    handle: handleRemoval(deps),
  }),
];
