import { announce, byId, h, icon } from './element.js';
import { imageUrl } from './figure.js';
import { pinButton } from './pins.js';
import { addSampleWardrobe } from './sample.js';
import { say } from './texts.js';
import { clearWardrobe, removeGarment } from './wardrobe-store.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

const PIN = 'M9 3h6l-1 7 4 4v2H6v-2l4-4-1-7Zm3 13v6';

/** @param {Garment} garment */
const tile = (garment) =>
  h(
    'li.garment',
    h('div.garment-picture', h('img', { src: imageUrl(garment), alt: '' })),
    h('span', garment.label),
    pinButton(garment, { class: 'quiet pin' }, icon(PIN)),
    h(
      'button.quiet.remove',
      {
        'aria-label': say('wardrobe.remove', { name: garment.label }),
        onclick: async () => {
          byId('wardrobe-title').focus(); // at once: later, it would be taken from what is focused by then
          await removeGarment(garment.id);
          announce(say('wardrobe.removed', { name: garment.label }));
        },
      },
      '×',
    ),
  );

/** The tiles that are shown, by the id of their garment. @type {Map<string, HTMLElement>} */
const tiles = new Map();

/**
 * Shows the garments, in the order they have in the store. Tiles that are shown already stay where they are: a click on
 * one that is replaced between press and release would be lost.
 * @param {Garment[]} garments
 */
export function drawWardrobe(garments) {
  const ids = new Set(garments.map(({ id }) => id));
  byId('wardrobe-sample').hidden = [...ids].some((id) => id.startsWith('sample-'));
  byId('wardrobe-clear').hidden = ids.size === 0;
  for (const [id, node] of tiles) {
    if (ids.has(id)) continue;
    node.remove();
    tiles.delete(id);
  }
  const list = byId('wardrobe');
  for (const [i, garment] of garments.entries()) {
    if (tiles.has(garment.id)) continue;
    const node = tile(garment);
    tiles.set(garment.id, node);
    list.insertBefore(node, list.children[i] ?? null);
  }
}

/** Sets up the buttons of the wardrobe. */
export function installWardrobe() {
  byId('wardrobe-title').tabIndex = -1;
  byId('wardrobe-sample').addEventListener('click', addSampleWardrobe);
  byId('wardrobe-clear').addEventListener('click', clearWardrobe);
}
