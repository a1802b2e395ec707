import { createHash } from 'node:crypto';
import type { Form } from '../../http/form.ts';
import { OPTIONS, type OptionName } from '../../output/option-table.ts';
import type { CutOutOptions } from '../../output/options.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { requireFile } from '../removal/refinement-form.ts';

/*
 * What the refinements of jobs and of rows have in common: the cut-out is stored, the photo is not.
 */

/** Each version is stored as long as the job or batch. */
const MAX_REFINEMENTS = 20;

/** Whether a cut-out with these options has the alpha of the whole photo. */
export const hasWholeAlpha = (options: CutOutOptions = {}): boolean =>
  !Object.entries(options).some(
    ([name, value]) => value !== undefined && OPTIONS[name as OptionName]?.redrawn,
  );

/**
 * Returns the photo that the client has sent again; undefined if it has sent none.
 * @param sha256 of the photo of which the cut-out was made, hex
 * @throws Problem invalid-request if it is another
 */
export function readPhoto(form: Form, sha256: string | undefined): Uint8Array | undefined {
  if (!form.files.image && form.fields.image === undefined) return undefined;
  const image = requireFile(form, 'image');
  if (createHash('sha256').update(image).digest('hex') === sha256) return image;
  const detail = 'The image is not the photo of this cut-out; send the same file';
  throw fieldProblem('invalid-request', '/image', 'is another photo', detail);
}

/** For a photo that was deleted when its cut-out was made. */
export const photoGone = (): Problem =>
  fieldProblem(
    'gone',
    '/image',
    'is needed',
    'The photo was deleted when its cut-out was made; send it as "image"',
  );

/** For a cut-out on an image that would have to be drawn again, and is deleted. */
export const backgroundGone = (): Problem =>
  new Problem(
    'conflict',
    'The background image was deleted; mend the alpha by POST /bg/v1/refinements, and draw it yourself',
  );

/**
 * @param members of the problem, which say how many there are
 * @throws Problem conflict if a cut-out has as many refinements as are retained
 */
export function checkCount(refinements: number, members: Record<string, number>): void {
  if (refinements < MAX_REFINEMENTS) return;
  const detail = `The cut-out has ${MAX_REFINEMENTS} refinements, the most that are retained; undo some, and send their strokes together`;
  throw new Problem('conflict', detail, { members });
}
