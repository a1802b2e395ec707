import { fill, h } from '../element.js';
import { errorBox } from '../error-box.js';
import { say } from '../texts.js';
import { progress } from './progress.js';

/** @param {string} label @param {string} key @param {() => void} onclick @param {string} [className] */
const keyButton = (label, key, onclick, className = '') =>
  h(
    'button',
    { class: className, onclick, 'aria-keyshortcuts': key },
    label,
    h('kbd', { 'aria-hidden': true }, key),
  );

/**
 * What is around the rows of a review: progress, filters, notices and the buttons.
 * @param {HTMLElement} filters
 * @param {Record<'approve' | 'reject' | 'mend' | 'undo' | 'before' | 'next' | 'changeView' | 'bulk' | 'help', () => void>} actions
 */
export function createFrame(filters, actions) {
  const approve = keyButton(say('review.approve'), 'A', actions.approve, 'is-approve');
  const reject = keyButton(say('review.reject'), 'R', actions.reject, 'is-reject');
  const mend = keyButton(say('review.mend'), 'M', actions.mend);
  const undo = keyButton(say('review.undo'), 'U', actions.undo, 'quiet');
  const buttons = h('div.buttons.review-buttons', approve, reject, mend, undo);
  const place = h('span.fine');
  const view = keyButton('', 'G', actions.changeView);
  const steps = h(
    'div.buttons.review-steps',
    h('button', { 'aria-label': say('picture.previous'), onclick: actions.before }, '←'),
    h('button', { 'aria-label': say('picture.next'), onclick: actions.next }, '→'),
    place,
  );
  const bar = h('div.stack');
  const notice = h('div.stack');
  const body = h('div.stack');
  const node = h(
    'div.stack.review-view',
    bar,
    h(
      'div.review-bar',
      filters,
      steps,
      h(
        'div.buttons',
        view,
        h('button', { onclick: actions.bulk }, say('review.many')),
        keyButton(say('keys.title'), '?', actions.help, 'quiet review-keys'),
      ),
    ),
    notice,
    body,
  );

  return {
    node,
    /** Those that decide about a row. */
    buttons,

    clearNotice: () => fill(notice),
    /** @param {unknown} error */
    showError: (error) => fill(notice, errorBox(error)),
    /** @param {string} text */
    showAdvice: (text) => fill(notice, h('p.panel', { role: 'alert' }, text)),
    /** @param {string} name of a row @param {string} text */
    showConflict: (name, text) =>
      fill(notice, h('div.error-box', { role: 'alert' }, h('p', h('b', `${name}: `), text))),
    showEmpty: () => fill(body, h('p.panel', say('review.noMatch'))),

    /** @param {{counts: import('./rows.js').Counts | undefined, hasRow: boolean, canUndo: boolean, place: string}} now */
    draw(now) {
      if (now.counts) fill(bar, progress(now.counts));
      for (const button of [approve, reject, mend]) button.disabled = !now.hasRow;
      undo.disabled = !now.canUndo;
      place.textContent = now.place;
    },

    /** Shows one row, or the grid. @param {HTMLElement} grid @param {HTMLElement} single @param {boolean} isSingle */
    layOut(grid, single, isSingle) {
      view.firstChild?.replaceWith(isSingle ? say('review.grid') : say('review.single'));
      if (isSingle) single.querySelector('.review-panel')?.append(buttons);
      const shown = isSingle ? single : [grid, h('div.review-foot', buttons, place)];
      fill(body, ...[shown].flat());
      filters.hidden = isSingle;
      steps.hidden = !isSingle;
      if (isSingle) steps.append(place);
    },
  };
}
