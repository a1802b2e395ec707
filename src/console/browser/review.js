/**
 * What was noticed about a cut-out, and what to do about it.
 * @type {Readonly<Record<string, string>>}
 */
export const REVIEW = {
  'low-confidence': 'The outline may be wrong: compare it with the photo.',
  'gap-unsure':
    'A gap may be filled, or a part missing: look between arms and body, and into handles.',
  'several-subjects': 'There may be more than one subject: crop the photo to the one you want.',
  'subject-too-small':
    'The subject is very small in the photo: crop the photo, or take it from nearer.',
  blurred: 'The photo is blurred: take a sharper one.',
  'same-colour-as-background':
    'Parts of the outline have the colour of the background: look at them closely.',
  'cut-by-frame':
    'The edge of the photo cuts the subject: use a wider photo if it should be whole.',
};

/** @typedef {{ needed: boolean, reasons: string[] }} Review */

/**
 * Reads the review of a cut-out from the headers of a response.
 * @param {Headers} headers
 * @returns {Review}
 */
export const readReview = (headers) => ({
  needed: headers.get('x-cutout-review-needed') === 'true',
  reasons: (headers.get('x-cutout-review') ?? '').split(/, */).filter(Boolean),
});
