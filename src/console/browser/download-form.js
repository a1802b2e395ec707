import { h } from './element.js';
import { errorBox } from './error-box.js';
import { save } from './image-files.js';
import { EXTENSIONS, FORMATS, SHADOWS } from './options.js';
import { rulesField } from './rules-field.js';
import { removeBackground } from './upload.js';

/** @typedef {import('./upload.js').Upload} Upload */

const WHITE = '#ffffff';

/** @param {string} text @param {HTMLElement} control */
const checkbox = (text, control) => h('label', { class: 'checkbox' }, control, ` ${text}`);

/**
 * Downloads the cut-out: the file that is shown, or another that the service makes from the photo.
 * @param {Upload} upload
 */
export function downloadForm(upload) {
  const format = h(
    'select',
    {},
    FORMATS.map(({ value, label }) => h('option', { value }, label)),
  );
  const filled = h('input', { type: 'checkbox' });
  const colour = h('input', { type: 'color', value: WHITE, 'aria-label': 'Background colour' });
  const crop = h('input', { type: 'checkbox' });
  const shadow = h(
    'select',
    {},
    SHADOWS.map(({ value, label }) => h('option', { value }, label)),
  );
  const rules = rulesField();
  const errorPlace = h('div');
  const button = h('button', { class: 'primary', type: 'submit' }, 'Download');

  /** Only what differs from the cut-out that is shown. */
  const readOptions = () => ({
    ...(format.value !== 'png' && { format: format.value }),
    ...(filled.checked && { backgroundColor: colour.value }),
    ...(crop.checked && { crop: 'true', cropMargin: '4%' }),
    ...(shadow.value !== 'none' && { shadow: shadow.value }),
    ...rules.read(),
  });

  async function download() {
    const options = readOptions();
    if (Object.keys(options).length === 0 && upload.cutOut) return upload.cutOut;
    const response = await removeBackground(upload, options, (seconds) => {
      button.textContent = `Busy; retrying in ${seconds} s`;
    });
    rules.show(response);
    return response.blob();
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    errorPlace.replaceChildren();
    rules.show();
    try {
      const blob = await download();
      save(blob, `${upload.name}-cut-out.${EXTENSIONS[blob.type] ?? 'png'}`);
    } catch (error) {
      errorPlace.append(errorBox(error));
    }
    button.disabled = false;
    button.textContent = 'Download';
  }

  return h(
    'form',
    { class: 'stack', onsubmit: submit },
    h('label', { class: 'field' }, 'File format', format),
    h(
      'details',
      { ontoggle: rules.load },
      h('summary', {}, 'Background, crop, shadow and rules'),
      h(
        'div',
        { class: 'stack options' },
        h('div', { class: 'checkbox' }, checkbox('Fill the background', filled), colour),
        checkbox('Crop to the garment', crop),
        h('label', { class: 'field' }, 'Shadow', shadow),
        rules.node,
        h(
          'p',
          { class: 'fine' },
          'The service processes the photo again, which counts as one image.',
        ),
      ),
    ),
    button,
    rules.place,
    errorPlace,
  );
}
