import { h } from './element.js';

const GROUNDS = [
  { id: 'check', label: 'Checkerboard' },
  { id: 'white', label: 'White' },
];
/** A warm grey that most garments stand out from. */
const FIRST_COLOUR = '#d9cfc1';

/**
 * What shines through the cut-out.
 * @param {HTMLElement} figure
 */
export function groundPicker(figure) {
  const colour = h('input', {
    ...{ type: 'color', value: FIRST_COLOUR, 'aria-label': 'A colour behind the cut-out' },
    oninput: () => choose('colour'),
  });
  const buttons = GROUNDS.map(({ id, label }) =>
    h(
      'button',
      { type: 'button', class: 'quiet', 'data-ground': id, onclick: () => choose(id) },
      label,
    ),
  );

  /** @param {string} id */
  function choose(id) {
    figure.dataset.ground = id;
    figure.style.setProperty('--ground-colour', id === 'white' ? '#fff' : colour.value);
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.ground === id));
    }
  }

  choose('check');
  return h(
    'div',
    { class: 'grounds', role: 'group', 'aria-label': 'Behind the cut-out' },
    buttons,
    colour,
  );
}
