import { h } from './element.js';
import { wardrobe } from './wardrobe-store.js';

/** Ids of the garments that every outfit must contain; forgotten with the page. @type {Set<string>} */
export const pinned = new Set();

/** Pins a garment, or no longer. @param {string} id */
function togglePin(id) {
  if (!pinned.delete(id)) pinned.add(id);
  wardrobe.dispatchEvent(new Event('changed'));
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
      type: 'button',
      'data-pin': id,
      'aria-pressed': String(pinned.has(id)),
      'aria-label': `Keep ${label} in every outfit`,
      title: `Keep ${label} in every outfit`,
      onclick: () => togglePin(id),
    },
    ...content,
  );
