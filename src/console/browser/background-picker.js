import { h } from './element.js';

const BACKGROUNDS = [
  { id: 'checkerboard', label: 'Checkerboard' },
  { id: 'white', label: 'White' },
];
/** A warm grey that contrasts with most garments. */
const DEFAULT_COLOUR = '#d9cfc1';

/**
 * Chooses the background behind the cut-out.
 * @param {HTMLElement} figure
 */
export function backgroundPicker(figure) {
  const colour = h('input', {
    type: 'color',
    value: DEFAULT_COLOUR,
    'aria-label': 'Colour behind the cut-out',
    oninput: () => choose('colour'),
  });
  const buttons = BACKGROUNDS.map(({ id, label }) =>
    h(
      'button',
      { type: 'button', class: 'quiet', 'data-background': id, onclick: () => choose(id) },
      label,
    ),
  );

  /** @param {string} id */
  function choose(id) {
    figure.dataset.background = id;
    figure.style.setProperty('--background-colour', id === 'white' ? '#fff' : colour.value);
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.background === id));
    }
  }

  choose('checkerboard');
  return h(
    'div',
    { class: 'background-picker', role: 'group', 'aria-label': 'Background' },
    buttons,
    colour,
  );
}
