import { textOf } from './texts.js';

/** What a picture does not meet. @param {string} rule its id */
export const ruleText = (rule) => textOf(`rule.${rule}`) ?? rule;

/** What was noticed about a cut-out, and what to do about it. @param {string} reason */
export const reasonText = (reason) =>
  textOf(`look-at.${reason}`) ?? ruleText(reason.replace(/^rule:/, ''));

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
