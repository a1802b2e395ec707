import { h } from './element.js';
import { faultBox } from './fault-box.js';
import { save } from './pictures.js';
import { removeBackground } from './shot.js';

/** @typedef {import('./shot.js').Shot} Shot */

const FORMATS = [
  { id: 'png', label: 'PNG, transparent' },
  { id: 'webp', label: 'WebP, transparent' },
  { id: 'jpeg', label: 'JPEG, on a colour' },
];
/** @type {Readonly<Record<string, string>>} */
const ENDINGS = { 'image/png': 'png', 'image/webp': 'webp', 'image/jpeg': 'jpg' };
const WHITE = '#ffffff';

/** @param {string} words @param {HTMLElement} control */
const tick = (words, control) => h('label', { class: 'tick' }, control, ` ${words}`);

/**
 * Hands the cut-out over: the very file that is shown, or another that the service makes of the photo.
 * @param {Shot} shot
 */
export function downloadForm(shot) {
  const format = h(
    'select',
    {},
    FORMATS.map(({ id, label }) => h('option', { value: id }, label)),
  );
  const filled = h('input', { type: 'checkbox' });
  const colour = h('input', { type: 'color', value: WHITE, 'aria-label': 'Background colour' });
  const crop = h('input', { type: 'checkbox' });
  const shadow = h('input', { type: 'checkbox' });
  const fault = h('div');
  const button = h('button', { class: 'primary', type: 'submit' }, 'Download');

  /** Only what is not as it is shown. */
  const options = () => ({
    ...(format.value !== 'png' && { format: format.value }),
    ...(filled.checked && { backgroundColor: colour.value }),
    ...(crop.checked && { crop: 'true', cropMargin: '4%' }),
    ...(shadow.checked && { shadow: 'drop' }),
  });

  async function download() {
    const wish = options();
    if (Object.keys(wish).length === 0 && shot.cutOut) return shot.cutOut;
    const response = await removeBackground(shot, wish, (seconds) => {
      button.textContent = `Busy; going on in ${seconds} s`;
    });
    return response.blob();
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    fault.replaceChildren();
    try {
      const blob = await download();
      save(blob, `${shot.name}-cut-out.${ENDINGS[blob.type] ?? 'png'}`);
    } catch (error) {
      fault.append(faultBox(error));
    }
    button.disabled = false;
    button.textContent = 'Download';
  }

  return h(
    'form',
    { class: 'stack', onsubmit: submit },
    h('label', { class: 'field' }, 'File', format),
    h(
      'details',
      {},
      h('summary', {}, 'Background, crop and shadow'),
      h(
        'div',
        { class: 'stack options' },
        h('div', { class: 'tick' }, tick('On a colour', filled), colour),
        tick('Cropped to the garment', crop),
        tick('With a soft shadow', shadow),
        h('p', { class: 'fine' }, 'Made anew by the service: it counts as one picture.'),
      ),
    ),
    button,
    fault,
  );
}
