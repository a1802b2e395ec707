import { createHash } from 'node:crypto';
import type { ImageForm } from '../../http/image-body.ts';
import { type ImageLimits, validateImage } from '../../intake/validate-image.ts';
import type { CutOutOptions } from '../../output/options.ts';
import { fieldProblem, Problem, type ProblemType } from '../../platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../../storage/blob-keys.ts';

/** An image and the JSON Pointer to its field, or the URL from which a worker fetches it. */
export type Source = { image: Uint8Array; pointer?: string } | { imageUrl: string };

/** Returns the source of the background, if it is an image: the uploaded one, else the URL in the options. */
export function backgroundSource(
  { backgroundImageUrl: imageUrl }: CutOutOptions,
  image: Uint8Array | undefined,
  pointer?: string,
): Source | undefined {
  if (image) return { image, ...(pointer && { pointer }) };
  return imageUrl === undefined ? undefined : { imageUrl };
}

/** @throws Problem invalid-request if a form has no image */
export function requireImage({ image, pointers }: ImageForm): Uint8Array {
  if (image) return image;
  const detail = `There is no image; send it as "${pointers.image.slice(1)}"`;
  throw fieldProblem('invalid-request', pointers.image, 'is missing', detail);
}

/** A source as stored: the image, or its URL. */
export interface Content {
  bytes: Uint8Array;
  mediaType: string;
  /** Of the bytes, hex. */
  sha256: string;
}

/** Types of problems that an image can be to blame for. */
const IMAGE_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'payload-too-large',
  'unprocessable-image',
  'unsupported-media-type',
];

/** How workers, which do not know the form of the request, point to the image behind the subject. */
const BACKGROUND_POINTER = '/backgroundImage';

/** Returns an error that names the field of the image that is to blame, unless it names another. */
export function blameImage(error: unknown, source: Source, background?: Source): unknown {
  if (!(error instanceof Problem)) return error;
  const { type, detail, errors } = error;
  const isBackground = errors?.[0]?.pointer === BACKGROUND_POINTER;
  const blamed = isBackground ? background : source;
  const pointer = blamed && 'pointer' in blamed ? blamed.pointer : undefined;
  if (!pointer || (errors && !isBackground) || !IMAGE_PROBLEMS.includes(type)) return error;
  return new Problem(type, detail, { errors: [{ pointer, detail }], cause: error });
}

function validateUpload(source: Source & { image: Uint8Array }, limits: ImageLimits, what: string) {
  try {
    return validateImage(source.image, limits, what);
  } catch (error) {
    throw blameImage(error, source);
  }
}

/**
 * Validates a source and returns the content to store.
 * @param what names the image in error details
 * @throws Problem if the image is not supported or exceeds the limits
 */
export function validateSource(
  source: Source,
  limits: ImageLimits,
  what = 'image',
): Content & { input?: { sha256: string; bytes: number; width: number; height: number } } {
  if ('imageUrl' in source) {
    const bytes = Buffer.from(source.imageUrl);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes, mediaType: LINK_MEDIA_TYPE, sha256 };
  }
  const { bytes, format, width, height, sha256 } = validateUpload(source, limits, what);
  const input = { sha256, bytes: bytes.length, width, height };
  return { bytes, mediaType: `image/${format}`, sha256, input };
}
