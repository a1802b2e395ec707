import { announce, byId, fill, h } from './element.js';
import { imageUrl } from './figure.js';
import { addSampleWardrobe } from './sample.js';
import { clearWardrobe, removeGarment } from './wardrobe-store.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

const NOTE = 'Stored in this browser on this device; the service stores nothing of it.';

/** @param {Garment} garment */
const tile = (garment) =>
  h(
    'li',
    { class: 'garment' },
    h('div', { class: 'garment-picture' }, h('img', { src: imageUrl(garment), alt: '' })),
    h('span', {}, garment.label),
    h(
      'button',
      {
        type: 'button',
        class: 'quiet',
        'aria-label': `Remove ${garment.label}`,
        onclick: async () => {
          await removeGarment(garment.id);
          announce(`${garment.label} was removed from the wardrobe`);
          byId('wardrobe-title').focus();
        },
      },
      '×',
    ),
  );

/** @param {Garment[]} garments */
export function drawWardrobe(garments) {
  const hasSample = garments.some(({ id }) => id.startsWith('sample-'));
  byId('wardrobe-note').textContent = NOTE;
  byId('wardrobe-sample').hidden = hasSample;
  byId('wardrobe-clear').hidden = garments.length === 0;
  fill(byId('wardrobe'), garments.map(tile));
}

/** Sets up the buttons of the wardrobe. */
export function installWardrobe() {
  byId('wardrobe-title').tabIndex = -1;
  byId('wardrobe-sample').addEventListener('click', addSampleWardrobe);
  byId('wardrobe-clear').addEventListener('click', clearWardrobe);
}
