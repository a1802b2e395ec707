/**
 * Where the page is: what is reviewed, which rows are listed, and which of them is shown.
 * @typedef {object} Address
 * @property {string} path of the batch or run in the API
 * @property {string} reason only rows with it; all if empty
 * @property {string} decision only rows with it; all if empty
 * @property {boolean} all whether cut-outs that need no review are listed too
 * @property {number} at place in the list, from 0
 * @property {boolean} isSingle whether one row is shown instead of the grid
 */

const PREFIX = '#/review';
const API = '/intake/v1';
const SUBJECT = /^\/(?:batches\/[\w-]+|feeds\/[\w-]+\/runs\/[\w-]+)$/;

/**
 * Reads the address behind `#`; undefined if it names nothing to review.
 * @param {string} hash
 * @returns {Address | undefined}
 */
export function readAddress(hash) {
  const [subject = '', search] = hash.slice(PREFIX.length).split('?');
  if (!hash.startsWith(PREFIX) || !SUBJECT.test(subject)) return undefined;
  const query = new URLSearchParams(search);
  const at = Math.floor(Number(query.get('at') ?? 1)) - 1;
  return {
    path: API + subject,
    reason: query.get('reason') ?? '',
    decision: query.get('decision') ?? '',
    all: query.get('rows') === 'all',
    at: at >= 0 && at < 1e9 ? at : 0,
    isSingle: query.get('view') === 'single',
  };
}

/** @param {Pick<Address, 'path'> & Partial<Address>} address */
export function toHash({ path, reason, decision, all, at, isSingle }) {
  const query = new URLSearchParams({
    ...(all && { rows: 'all' }),
    ...(reason && { reason }),
    ...(decision && { decision }),
    ...(at && { at: String(at + 1) }),
    ...(isSingle && { view: 'single' }),
  });
  const search = query.size > 0 ? `?${query}` : '';
  return PREFIX + path.slice(API.length) + search;
}
