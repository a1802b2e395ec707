import { h } from '../element.js';
import { say } from '../texts.js';

/** Shows how far a review is. @param {import('./rows.js').Counts} counts */
export function progress({ needed, approved, rejected, pending }) {
  const done = needed - pending;
  return [
    h(
      'div.progress',
      {
        role: 'progressbar',
        'aria-label': say('progress.title'),
        'aria-valuemin': 0,
        'aria-valuemax': Math.max(1, needed),
        'aria-valuenow': done,
      },
      h('span.is-good', { '--share': approved / Math.max(1, needed) }),
      h('span.is-bad', { '--share': rejected / Math.max(1, needed) }),
    ),
    h(
      'p.review-progress',
      h('b', say('progress.done', { done, needed })),
      h('span.fine', say('progress.split', { approved, rejected })),
    ),
  ];
}
