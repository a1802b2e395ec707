import { say, textOf } from '../texts.js';

/** @typedef {import('./rows.js').Row} Row @typedef {import('./rows.js').Decision} Decision */

/** @type {Readonly<Record<Decision, string>>} */
export const DECISION_WORDS = {
  pending: say('decision.pending'),
  approved: say('decision.approved'),
  rejected: say('decision.rejected'),
};

/** Reasons that there are, beside rules of a marketplace. */
export const REASONS = [
  'low-confidence',
  'gap-unsure',
  'hole-in-subject',
  'ground-in-gap',
  'several-subjects',
  'several-people',
  'subject-too-small',
  'blurred',
  'damaged',
  'same-colour-as-background',
  'cut-by-frame',
];

/** What a reason is called where there is room for a few words. @param {string} reason */
export const reasonName = (reason) =>
  textOf(`reason.${reason}`) ?? say('reason.rule', { rule: reason.replace(/^rule:/, '') });

/** @param {Row} row */
export const nameOf = ({ title, customId }) => title ?? customId;

/** @param {Row} row */
export const shortReasons = ({ reasons }) =>
  reasons.length > 0 ? reasons.map(reasonName).join(', ') : say('review.nothingShort');
