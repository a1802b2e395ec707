/** @typedef {import('./rows.js').Row} Row @typedef {import('./rows.js').Decision} Decision */

/** @type {Readonly<Record<Decision, string>>} */
export const DECISION_WORDS = {
  pending: 'Not decided',
  approved: 'Approved',
  rejected: 'Rejected',
};

/**
 * What reasons are called where there is room for a few words.
 * @type {Readonly<Record<string, string>>}
 */
export const REASON_NAMES = {
  'low-confidence': 'Low confidence',
  'gap-unsure': 'Unsure gap',
  'hole-in-subject': 'Hole in the subject',
  'ground-in-gap': 'Background in a gap',
  'several-subjects': 'Several subjects',
  'several-people': 'Several people',
  'subject-too-small': 'Subject too small',
  blurred: 'Blurred',
  damaged: 'Damaged file',
  'same-colour-as-background': 'Colour of the background',
  'cut-by-frame': 'Cut by the frame',
};

/** @param {string} reason */
export const reasonName = (reason) => REASON_NAMES[reason] ?? reason.replace(/^rule:/, 'Rule ');

/** @param {Row} row */
export const nameOf = ({ title, customId }) => title ?? customId;

/** @param {Row} row */
export const shortReasons = ({ reasons }) =>
  reasons.length > 0 ? reasons.map(reasonName).join(', ') : 'Nothing noticed';

/** @param {number} confidence 0..1 */
export const percent = (confidence) => `${(Math.floor(confidence * 1000) / 10).toFixed(1)} %`;
