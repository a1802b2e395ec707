/**
 * What was noticed about a cut-out, and what to do about it.
 * @type {Readonly<Record<string, string>>}
 */
const REVIEW = {
  'low-confidence': 'The outline may be wrong: compare it with the photo.',
  'gap-unsure':
    'A gap may be filled, or a part missing: look between arms and body, and into handles.',
  'hole-in-subject':
    'There may be a hole in the subject: look at zips, linings, straps and shaded parts.',
  'ground-in-gap':
    'Background may be left within the subject: look into handles, rings, chains and mesh.',
  'several-subjects': 'There may be more than one subject: crop the photo to the one you want.',
  'several-people': 'There are several people: crop the photo to the one whose clothes you want.',
  'subject-too-small':
    'The subject is very small in the photo: crop the photo, or take it from nearer.',
  blurred: 'The photo is blurred: take a sharper one.',
  damaged: 'The file of the photo is damaged: upload it again.',
  'same-colour-as-background':
    'Parts of the outline have the colour of the background: look at them closely.',
  'cut-by-frame':
    'The edge of the photo cuts the subject: use a wider photo if it should be whole.',
};

/**
 * What a picture does not meet, by rule.
 * @type {Readonly<Record<string, string>>}
 */
// biome-ignore format: a table reads best aligned
const FAILED = {
  'background':    'The background has another colour than it must have.',
  'border':        'There is a frame around the picture.',
  'overlay':       'There is text, a logo or a watermark beside the garment.',
  'fringe':        'The outline shows the old background: mend it with the brush.',
  'cut-by-frame':  'The edge of the photo cuts the garment: use a wider photo.',
  'fill-ratio':    'The garment fills too little or too much of the picture.',
  'margin':        'There is too little room around the garment.',
  'aspect':        'The picture is too wide or too high.',
  'longest-side':  'The longest side has too few or too many pixels.',
  'shortest-side': 'The shortest side has too few or too many pixels.',
  'megapixels':    'The picture has too many pixels.',
  'file-type':     'The file has another format than it must have.',
  'file-bytes':    'The file is too large.',
};

/** @param {string} rule id of one that a picture does not meet */
export const ruleText = (rule) => FAILED[rule] ?? rule;

/** @param {string} reason */
export const reasonText = (reason) => REVIEW[reason] ?? ruleText(reason.replace(/^rule:/, ''));

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
