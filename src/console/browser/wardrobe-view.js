import { announce, byId, h, icon } from './element.js';
import { imageUrl } from './figure.js';
import { fillKeepingFocus, pinButton } from './pins.js';
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
          await removeGarment(garment.id);
          announce(say('wardrobe.removed', { name: garment.label }));
          byId('wardrobe-title').focus();
        },
      },
      '×',
    ),
  );

/** @param {Garment[]} garments */
export function drawWardrobe(garments) {
  const hasSample = garments.some(({ id }) => id.startsWith('sample-'));
  byId('wardrobe-sample').hidden = hasSample;
  byId('wardrobe-clear').hidden = garments.length === 0;
  fillKeepingFocus(byId('wardrobe'), garments.map(tile));
}

/** Sets up the buttons of the wardrobe. */
export function installWardrobe() {
  byId('wardrobe-title').tabIndex = -1;
  byId('wardrobe-sample').addEventListener('click', addSampleWardrobe);
  byId('wardrobe-clear').addEventListener('click', clearWardrobe);
}
