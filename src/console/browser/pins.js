import { fill, h } from './element.js';
import { say } from './texts.js';

/** @typedef {import('./element.js').Child} Child */

/** Ids of the garments that every outfit must contain; forgotten with the page. @type {Set<string>} */
export const pinned = new Set();

/** Dispatches `changed` when a garment is pinned, or no longer. */
export const pins = new EventTarget();

/** @param {string} id */
const selectorOf = (id) => `[data-pin="${CSS.escape(id)}"]`;

/**
 * Pins a garment, or no longer. Its buttons are changed where they are: a click on one that is replaced between press
 * and release would be lost.
 * @param {string} id
 */
function togglePin(id) {
  if (!pinned.delete(id)) pinned.add(id);
  for (const button of document.querySelectorAll(selectorOf(id)))
    button.setAttribute('aria-pressed', String(pinned.has(id)));
  pins.dispatchEvent(new Event('changed'));
}

/**
 * A button that pins a garment.
 * @param {{id: string, label: string}} garment
 * @param {import('./element.js').Props} props
 * @param {...Node} content
 */
export const pinButton = ({ id, label }, props, ...content) =>
  h(
    'button',
    {
      ...props,
      'data-pin': id,
      'aria-pressed': String(pinned.has(id)),
      'aria-label': say('outfits.pin', { name: label }),
      title: say('outfits.pin', { name: label }),
      onclick: () => togglePin(id),
    },
    ...content,
  );

/**
 * Replaces the content of an element. If it had the focus on a pin button, another one of that garment gets it, if
 * possible in the same element.
 * @param {Element} node
 * @param {...(Child | Child[])} children
 */
export function fillKeepingFocus(node, ...children) {
  const { activeElement } = document;
  const id = node.contains(activeElement) && activeElement?.getAttribute('data-pin');
  fill(node, ...children);
  if (!id) return;
  const button = node.querySelector(selectorOf(id)) ?? document.querySelector(selectorOf(id));
  if (button instanceof HTMLElement) button.focus({ preventScroll: true });
}
