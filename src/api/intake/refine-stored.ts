import { createHash } from 'node:crypto';
import type { Form } from '../../http/form.ts';
import type { Call } from '../../http/route.ts';
import { OPTIONS, type OptionName } from '../../output/option-table.ts';
import type { CutOutOptions, MediaType } from '../../output/options.ts';
import { checkStrokes, type Stroke } from '../../output/strokes.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { type CutOutFile, checkedFile } from '../removal/cut-out-response.ts';
import type { ImageRequests, RefinementRequest } from '../removal/image-requests.ts';
import {
  checkFiles,
  formFingerprint,
  readAlphaSize,
  readStrokes,
  requireFile,
} from '../removal/refinement-form.ts';

/*
 * Mending a cut-out that is stored, whether of a job or of a row: the photo is not stored. It goes on as a refinement
 * whose client sends everything.
 */

/** Each version is stored as long as the job or batch. */
const MAX_REFINEMENTS = 20;

export interface SentStrokes {
  form: Form;
  strokes: Stroke[];
}

/** @throws Problem invalid-request, payload-too-large */
export async function readSentStrokes(call: Call): Promise<SentStrokes> {
  const form = await call.form();
  checkFiles(form);
  return { form, strokes: readStrokes(form) };
}

/** Recognizes a repeated request. @param path of the collection of refinements */
export const strokesFingerprint = (path: string, { form, strokes }: SentStrokes) => [
  'POST',
  path,
  ...formFingerprint(form, strokes),
];

interface StoredCutOut {
  options: CutOutOptions | undefined;
  /** Of the photo of which it was made, hex. */
  sha256: string | undefined;
  /** Returns the photo, if it was kept. */
  readPhoto?(): Promise<Uint8Array | undefined>;
  /** Where the photo may still be. */
  imageUrl?: string | undefined;
  /** Whether it has an image behind the subject, which is deleted. */
  hasBackground: boolean;
  /** How often it was mended. */
  refinements: number;
  read(): Promise<Uint8Array>;
}

/** Whether a cut-out with these options has the alpha of the whole photo. */
export const hasWholeAlpha = (options: CutOutOptions = {}): boolean =>
  !Object.entries(options).some(
    ([name, value]) => value !== undefined && OPTIONS[name as OptionName]?.redrawn,
  );

/** Returns the photo that was kept or that the client has sent again, or where it is. @throws Problem invalid-request, gone */
async function photoOf(
  form: Form,
  { sha256, imageUrl, readPhoto }: StoredCutOut,
): Promise<RefinementRequest['photo']> {
  if (!form.files.image && form.fields.image === undefined) {
    const kept = await readPhoto?.();
    if (kept) return { image: kept };
    if (imageUrl !== undefined && sha256 !== undefined) return { imageUrl, sha256 };
    const detail = 'The photo was deleted when its cut-out was made; send it as "image"';
    throw fieldProblem('gone', '/image', 'is needed', detail);
  }
  const image = requireFile(form, 'image');
  if (createHash('sha256').update(image).digest('hex') === sha256) return { image };
  const detail = 'The image is not the photo of this cut-out; send the same file';
  throw fieldProblem('invalid-request', '/image', 'is another photo', detail);
}

/**
 * Mends a stored cut-out by strokes.
 * @param versions members of a problem, which say how many there are
 * @throws Problem conflict if it has as many refinements as are retained, or would have to be drawn again on an image
 *   that is deleted
 */
export async function mendStored(
  images: Pick<ImageRequests, 'refineCutOut'>,
  { form, strokes }: SentStrokes,
  stored: StoredCutOut,
  versions: Record<string, number>,
  picture: RefinementRequest['picture'],
  call: Call,
) {
  const { options = {} } = stored;
  if (stored.refinements >= MAX_REFINEMENTS) {
    const detail = `The cut-out has ${MAX_REFINEMENTS} refinements, the most that are retained; undo some, and send their strokes together`;
    throw new Problem('conflict', detail, { members: versions });
  }
  if (stored.hasBackground) {
    const detail =
      'The background image was deleted; mend the alpha by POST /bg/v1/refinements, and draw it yourself';
    throw new Problem('conflict', detail);
  }
  const photo = await photoOf(form, stored);
  const isSent = form.files.alpha !== undefined || !hasWholeAlpha(options);
  const alpha = isSent ? requireFile(form, 'alpha') : await stored.read();
  checkStrokes(strokes, readAlphaSize(alpha, 'image' in photo ? photo.image : undefined));
  return images.refineCutOut({ photo, alpha, strokes, options, picture }, call);
}

export type Mended = Awaited<ReturnType<typeof mendStored>>;

/** Stores a mended cut-out, and the picture made of it if there is one, under the keys that `keyOf` returns. */
export async function storeMended(
  blobs: Pick<Blobs, 'put'>,
  { file, picture, result }: Mended,
  keyOf: (name: 'cutout' | 'picture', mediaType: MediaType) => string,
  signal?: AbortSignal,
) {
  const put = async (name: 'cutout' | 'picture', made: CutOutFile) => {
    const { mediaType } = made;
    const body = checkedFile(made);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const key = keyOf(name, mediaType);
    await blobs.put(key, body, { mediaType, meta: { sha256 } }, signal);
    return { key, sha256 };
  };
  const { bytes, mediaType, width, height, foreground, rules } = result;
  const stored = await put('cutout', { file, bytes, mediaType });
  const cutout = { ...stored, bytes, mediaType, width, height, foreground, rules };
  return { cutout, pictureKey: picture && (await put('picture', picture)).key };
}

/** Checks that a version in a path is the latest one. @throws Problem not-found; as `conflict` returns */
export function requireLatest(
  version: string | undefined,
  refinements: number,
  of: 'job' | 'row',
  conflict: () => Problem,
): void {
  const isOne = /^[1-9]\d{0,2}$/.test(version ?? '') && Number(version) <= refinements;
  if (!isOne) throw new Problem('not-found', `The ${of} has no such refinement`);
  if (Number(version) !== refinements) throw conflict();
}
