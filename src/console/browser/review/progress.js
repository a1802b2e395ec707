import { h } from '../element.js';

/** @param {number} rows */
const text = (rows) => rows.toLocaleString('en');

/** Shows how far a review is. @param {import('./rows.js').Counts} counts */
export function progress({ needed, approved, rejected, pending }) {
  const done = needed - pending;
  return [
    h(
      'div',
      {
        class: 'progress',
        role: 'progressbar',
        'aria-label': 'Reviewed',
        'aria-valuemin': 0,
        'aria-valuemax': Math.max(1, needed),
        'aria-valuenow': done,
      },
      h('span', { class: 'is-good', '--share': approved / Math.max(1, needed) }),
      h('span', { class: 'is-bad', '--share': rejected / Math.max(1, needed) }),
    ),
    h(
      'p',
      { class: 'review-progress' },
      h('b', {}, `${text(done)} of ${text(needed)} reviewed`),
      h('span', { class: 'fine' }, `${text(approved)} approved · ${text(rejected)} rejected`),
    ),
  ];
}
