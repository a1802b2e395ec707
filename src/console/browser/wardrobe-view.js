import { byId, fill, h, say } from './element.js';
import { pictureOf } from './figure.js';
import { addSampleWardrobe } from './sample.js';
import { dropGarment, emptyWardrobe } from './wardrobe-store.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

const KEPT_HERE = 'Kept in this browser on this device; the service keeps nothing of it.';

/** @param {Garment} garment */
const tile = (garment) =>
  h(
    'li',
    { class: 'garment' },
    h('div', { class: 'garment-picture' }, h('img', { src: pictureOf(garment), alt: '' })),
    h('span', {}, garment.label),
    h(
      'button',
      {
        ...{ type: 'button', class: 'quiet', 'aria-label': `Take ${garment.label} out` },
        onclick: async () => {
          await dropGarment(garment.id);
          say(`${garment.label} is out of the wardrobe`);
          byId('wardrobe-title').focus();
        },
      },
      '×',
    ),
  );

/** @param {Garment[]} garments */
export function drawWardrobe(garments) {
  const hasSample = garments.some(({ id }) => id.startsWith('sample-'));
  byId('wardrobe-note').textContent = KEPT_HERE;
  byId('wardrobe-sample').hidden = hasSample;
  byId('wardrobe-clear').hidden = garments.length === 0;
  fill(byId('wardrobe'), garments.map(tile));
}

/** The wardrobe's buttons. */
export function installWardrobe() {
  byId('wardrobe-title').tabIndex = -1;
  byId('wardrobe-sample').addEventListener('click', addSampleWardrobe);
  byId('wardrobe-clear').addEventListener('click', emptyWardrobe);
}
