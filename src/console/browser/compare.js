import { h, icon } from './element.js';
import { say } from './texts.js';

/**
 * Shows photo and cut-out, one over the other, with a divider to drag. The divider is a range input, so
 * keyboard, touch and screen readers work as with any other.
 * @param {{before: string, after: string, width: number, height: number, name: string}} images
 */
export function compare({ before, after, width, height, name }) {
  const figure = h(
    'figure.compare.checkerboard.is-new',
    { '--ratio': width / height },
    h('img.compare-after', {
      src: after,
      alt: say('picture.cutOut', { name }),
      draggable: 'false',
    }),
    h('img.compare-before', {
      src: before,
      alt: say('picture.photo', { name }),
      draggable: 'false',
    }),
    h('input', {
      type: 'range',
      min: 0,
      max: 100,
      value: 50,
      'aria-label': say('picture.divider'),
      oninput: (/** @type {Event} */ event) => {
        const { value } = /** @type {HTMLInputElement} */ (event.target);
        figure.classList.remove('is-new');
        figure.style.setProperty('--cut', `${value}%`);
      },
    }),
    h('span.compare-divider', { 'aria-hidden': true }, icon('m15 13-7 7 7 7m10-14 7 7-7 7', 40)),
  );
  figure.addEventListener('animationend', () => figure.classList.remove('is-new'));
  return figure;
}
