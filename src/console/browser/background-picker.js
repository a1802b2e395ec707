import { h } from './element.js';
import { say } from './texts.js';

const BACKGROUNDS = {
  checkerboard: { label: say('behind.checkerboard'), colour: '' },
  white: { label: say('behind.white'), colour: '#fff' },
  dark: { label: say('behind.dark'), colour: '#16181d' },
};
/** @typedef {keyof typeof BACKGROUNDS} Background */

/** A warm grey that contrasts with most garments. */
const DEFAULT_COLOUR = '#d9cfc1';

/**
 * Chooses the background behind the cut-out.
 * @param {HTMLElement} figure
 * @param {readonly Background[]} [choices] beside a colour
 */
export function backgroundPicker(figure, choices = ['checkerboard', 'white']) {
  const colour = h('input', {
    type: 'color',
    value: DEFAULT_COLOUR,
    'aria-label': say('behind.colour'),
    oninput: () => choose('colour', colour.value),
  });
  const buttons = choices.map((id) =>
    h(
      'button.quiet',
      { 'data-background': id, onclick: () => choose(id, BACKGROUNDS[id].colour) },
      BACKGROUNDS[id].label,
    ),
  );

  /** @param {string} id @param {string} value */
  function choose(id, value) {
    figure.dataset.background = id;
    figure.style.setProperty('--background-colour', value);
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.background === id));
    }
  }

  choose('checkerboard', '');
  return h(
    'div.background-picker',
    { role: 'group', 'aria-label': say('look.background') },
    buttons,
    colour,
  );
}
