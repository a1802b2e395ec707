import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Form } from '../../http/form.ts';
import { printable } from '../../http/image-body.ts';
import { parseJson } from '../../http/json-body.ts';
import { parse } from '../../http/parse.ts';
import { type ImageSize, readImageSize, sniffFormat } from '../../imaging/image-header.ts';
import { checkPointCount, STROKE_LIMITS, Strokes } from '../../output/strokes.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';

const FILE_NAMES = ['image', 'alpha', 'strokes'];

const missing = (name: string): Problem =>
  fieldProblem('invalid-request', `/${name}`, 'is missing', `Send "${name}" as a file part`);

/** @throws Problem if there is none, or it is empty */
export function requireFile({ files, fields }: Form, name: 'image' | 'alpha'): Uint8Array {
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

/** Reads the strokes of a refinement, which may be a field, a part in JSON or a file. */
export function readStrokes({ files, fields }: Form): z.infer<typeof Strokes> {
  const sent: unknown = fields.strokes ?? files.strokes;
  if (sent === undefined) throw missing('strokes');
  const length = typeof sent === 'string' || sent instanceof Uint8Array ? sent.length : 0;
  if (length > STROKE_LIMITS.chars) {
    const error = `is longer than ${STROKE_LIMITS.chars} characters`;
    throw fieldProblem('payload-too-large', '/strokes', error);
  }
  const text = sent instanceof Uint8Array ? Buffer.from(sent).toString() : sent;
  const strokes = typeof text === 'string' ? parseJson(text, 'strokes') : text;
  checkPointCount(strokes);
  return parse(z.object({ strokes: Strokes }), { strokes }, 'request').strokes;
}

/** Returns the size of the alpha: that of the upright image, if that is known. @throws Problem */
export function readAlphaSize(alpha: Uint8Array, image: Uint8Array | undefined): ImageSize {
  if (sniffFormat(alpha) !== 'png') {
    const detail = 'The alpha must be a PNG; its last channel counts';
    throw fieldProblem('unsupported-media-type', '/alpha', 'must be a PNG', detail);
  }
  const size = readImageSize(alpha, 'png');
  if (!size) throw fieldProblem('invalid-request', '/alpha', 'is damaged');
  const format = image && sniffFormat(image);
  const own = format && readImageSize(image, format);
  if (!own) return size; // the worker compares it; an image that is none is rejected
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

/** Identifies the content of a form, to recognize a repeated request: strokes are the same however they were sent. */
export function formFingerprint({ files, fields }: Form, strokes: z.infer<typeof Strokes>) {
  const hashes = Object.entries(files)
    .filter(([name]) => name !== 'strokes')
    .map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]);
  const { strokes: _, ...others } = fields;
  return [Object.fromEntries(hashes.sort()), Object.entries(others).sort(), strokes];
}

/** @throws Problem if the form has a file that is not known */
export function checkFiles({ files }: Form): void {
  const unknown = Object.keys(files).find((name) => !FILE_NAMES.includes(name));
  if (unknown === undefined) return;
  throw fieldProblem('invalid-request', `/${printable(unknown)}`, 'is not a file of this form');
}
