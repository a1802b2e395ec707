import { drawn, h } from './element.js';

/**
 * Photo and cut-out, one over the other, with an edge to pull: a range input, so that keys, touch and
 * screen readers work as they do with any other.
 * @param {{before: string, after: string, width: number, height: number, name: string}} pictures
 */
export function compare({ before, after, width, height, name }) {
  const figure = h(
    'figure',
    { class: 'compare check is-new', '--ratio': width / height },
    h('img', { class: 'compare-after', src: after, alt: `Cut-out of ${name}`, draggable: 'false' }),
    h('img', {
      class: 'compare-before',
      src: before,
      alt: `${name} as it came`,
      draggable: 'false',
    }),
    h('input', {
      ...{
        type: 'range',
        min: 0,
        max: 100,
        value: 50,
        'aria-label': 'How much of the photo covers the cut-out',
      },
      oninput: (/** @type {Event} */ event) => {
        const { value } = /** @type {HTMLInputElement} */ (event.target);
        figure.classList.remove('is-new');
        figure.style.setProperty('--cut', `${value}%`);
      },
    }),
    h('span', { class: 'compare-edge', 'aria-hidden': true }, handle()),
  );
  figure.addEventListener('animationend', () => figure.classList.remove('is-new'));
  return figure;
}

const handle = () =>
  drawn('svg', { viewBox: '0 0 40 40' }, drawn('path', { d: 'm15 13-7 7 7 7m10-14 7 7-7 7' }));
