import { z } from 'zod';
import type { Form } from '../../http/form.ts';
import { parseJsonPart } from '../../http/json-body.ts';
import { parse } from '../../http/parse.ts';
import { type Call, filePart, type Reply, type Route, route } from '../../http/route.ts';
import { readImageSize } from '../../imaging/image-header.ts';
import { sniffFormat } from '../../imaging/sniff.ts';
import {
  checkConflicts,
  outputFields,
  toCutOutOptions,
  withoutBlanks,
} from '../../output/request.ts';
import { checkPointCount, checkStrokes, STROKE_LIMITS, Strokes } from '../../output/strokes.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';
import { JobOptions, QualityField } from '../intake/job-request.ts';
import { CUT_OUT_MEDIA, checkedFile, serverTiming } from './cut-out-response.ts';
import type { ImageRequests, RefinementRequest } from './image-requests.ts';

const PATH = '/bg/v1/refinements';

/** Options that say nothing about a cut-out whose alpha is there already. */
const NOT_HERE = ['roi', 'backgroundImageUrl'] as const;

/** The fields beside the files and the strokes. */
export const RefinementFields = z.preprocess(
  withoutBlanks,
  z
    .strictObject({ quality: QualityField, ...outputFields })
    .superRefine(checkConflicts)
    .superRefine((fields, context) => {
      for (const field of NOT_HERE) {
        if (fields[field] === undefined) continue;
        const message = 'does not apply to refinements; leave it out';
        context.addIssue({ code: 'custom', path: [field], message });
      }
    }),
);

const FILE_NAMES = ['image', 'alpha', 'strokes'];

const missing = (name: string): Problem =>
  fieldProblem('invalid-request', `/${name}`, 'is missing', `Send "${name}" as a file part`);

/** Returns a file of the form. @throws Problem if there is none, or it is empty */
function requireFile({ files, fields }: Form, name: 'image' | 'alpha'): Uint8Array {
  const file = files[name];
  if (file?.length) return file;
  if (fields[name] === undefined && !file) throw missing(name);
  throw fieldProblem(
    'invalid-request',
    `/${name}`,
    file ? 'is empty' : 'must be a file part',
    `Send "${name}" as a file part, with a file name`,
  );
}

/** Reads the strokes, which may be a field, a part in JSON or a file. */
function readStrokes({ files, fields }: Form): z.infer<typeof Strokes> {
  const sent: unknown = fields.strokes ?? files.strokes;
  if (sent === undefined) throw missing('strokes');
  const length = typeof sent === 'string' || sent instanceof Uint8Array ? sent.length : 0;
  if (length > STROKE_LIMITS.chars) {
    const error = `is longer than ${STROKE_LIMITS.chars} characters`;
    throw fieldProblem('payload-too-large', '/strokes', error);
  }
  const text = sent instanceof Uint8Array ? Buffer.from(sent).toString() : sent;
  const strokes = typeof text === 'string' ? parseJsonPart(text, 'strokes') : text;
  checkPointCount(strokes);
  return parse(z.object({ strokes: Strokes }), { strokes }, 'request').strokes;
}

/** Returns the size of the alpha: that of the upright image. @throws Problem */
function readAlphaSize(alpha: Uint8Array, image: Uint8Array) {
  if (sniffFormat(alpha) !== 'png') {
    const detail = 'The alpha must be a PNG; its last channel counts';
    throw fieldProblem('unsupported-media-type', '/alpha', 'must be a PNG', detail);
  }
  const size = readImageSize(alpha, 'png');
  if (!size) throw fieldProblem('invalid-request', '/alpha', 'is damaged');
  const format = sniffFormat(image);
  const own = format && readImageSize(image, format);
  if (!own) return size; // the image is rejected for that
  // The header does not say whether the image is turned; the worker checks that.
  const hasSides =
    [own.width, own.height].sort().join() === [size.width, size.height].sort().join();
  if (hasSides) return size;
  throw fieldProblem(
    'invalid-request',
    '/alpha',
    `is ${size.width} x ${size.height} pixels, the image ${own.width} x ${own.height}`,
    'The alpha must have the size of the upright image',
  );
}

/** @throws Problem if the form has files or fields that are not known */
function readRequest(form: Form): RefinementRequest {
  const unknown = Object.keys(form.files).find((name) => !FILE_NAMES.includes(name));
  if (unknown !== undefined) {
    throw fieldProblem('invalid-request', `/${unknown}`, 'is not a file of this form');
  }
  const { image: _image, alpha: _alpha, strokes: _strokes, ...fields } = form.fields;
  const options = toCutOutOptions(parse(RefinementFields, fields, 'request'));
  const image = requireFile(form, 'image');
  const alpha = requireFile(form, 'alpha');
  const strokes = readStrokes(form);
  checkStrokes(strokes, readAlphaSize(alpha, image));
  return { image, alpha, strokes, options };
}

const MultipartRequest = z
  .object({
    image: filePart('JPEG, PNG or WebP'),
    alpha: filePart('PNG of the size of the upright image; its last channel counts'),
    strokes: Strokes,
  })
  .and(JobOptions);

/** The route that mends a cut-out by strokes. */
export const refinementRoutes = (images: ImageRequests): Route[] => [
  route({
    method: 'POST',
    path: PATH,
    scope: 'background-removal:process',
    operationId: 'refineCutout',
    summary: 'Mend a cut-out with strokes',
    description:
      'Pixels that no stroke reaches keep their alpha. `roi` and `backgroundImageUrl` do not apply.',
    form: { 'multipart/form-data': MultipartRequest },
    quota: 1,
    responses: {
      200: {
        description: 'The mended cut-out',
        content: CUT_OUT_MEDIA,
        headers: ['Server-Timing'],
      },
    },
    problems: ['unprocessable-image', 'upstream-failed'],
    async handle(call: Call): Promise<Reply> {
      images.shedIfBusy(call);
      const request = readRequest(await call.form());
      const { file, result } = await images.refineCutOut(request, call);
      const headers = {
        'content-type': result.mediaType,
        'cache-control': 'no-store',
        'server-timing': serverTiming(result.millis),
      };
      return { headers, body: checkedFile({ file, ...result }) };
    },
  }),
];
