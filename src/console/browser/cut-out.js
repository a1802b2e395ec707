import { backgroundPicker } from './background-picker.js';
import { compare } from './compare.js';
import { cutOutPanel } from './cut-out-panel.js';
import { takeFiles } from './drop.js';
import { announce, byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { readReview } from './review.js';
import { createUpload, removeBackground } from './upload.js';

/** @typedef {import('./upload.js').Upload} Upload */

const MAX_CONCURRENT = 2;
const SAMPLE = '/console/sample/sweater-on-oak.jpg';

/** @type {Upload[]} */
const uploads = [];
/** @type {Upload | undefined} */
let selected;

/** @param {Upload} upload */
async function processUpload(upload) {
  Object.assign(upload, {
    state: 'working',
    note: 'Removing the background',
    startedAt: performance.now(),
  });
  draw(upload);
  try {
    const response = await removeBackground(upload, {}, (seconds) => {
      upload.note = `The service is busy; retrying in ${seconds} s`;
      draw(upload);
    });
    upload.cutOut = await response.blob();
    const { width, height } = await createImageBitmap(upload.cutOut);
    Object.assign(upload, {
      width,
      height,
      state: 'done',
      millis: performance.now() - upload.startedAt,
      after: URL.createObjectURL(upload.cutOut),
      model: response.headers.get('x-model') ?? undefined,
      isAlphaKept: response.headers.get('x-cutout-alpha') === 'kept',
      timing: response.headers.get('server-timing') ?? undefined,
      confidence: Number(response.headers.get('x-cutout-confidence')),
      review: readReview(response.headers),
    });
    announce(`The cut-out of ${upload.name} is ready`);
  } catch (error) {
    Object.assign(upload, { state: 'failed', error });
    announce(`${upload.name} failed`);
  }
  draw(upload);
}

/** Starts waiting uploads, up to the limit. */
function processNext() {
  while (uploads.filter(({ state }) => state === 'working').length < MAX_CONCURRENT) {
    const next = uploads.find(({ state }) => state === 'waiting');
    if (!next) return;
    processUpload(next).finally(processNext);
  }
}

/** @param {File[]} files */
function addFiles(files) {
  const quality = byId('cut-quality', HTMLSelectElement).value;
  const keepsAlpha = byId('cut-alpha', HTMLInputElement).checked;
  const added = files.map((file) => createUpload(file, { quality, keepsAlpha }));
  const [first] = added;
  if (!first) return;
  uploads.push(...added);
  byId('cut').classList.add('has-photos');
  byId('cut-work').hidden = false;
  select(first);
  processNext();
}

/** @param {Upload} upload */
function select(upload) {
  selected = upload;
  draw(upload);
}

/** @param {Upload} upload @param {string} className */
function photo({ before, name }, className) {
  const image = h('img', { class: className, src: before, alt: `Original photo of ${name}` });
  image.addEventListener('error', () => image.remove()); // a format the browser cannot show
  return image;
}

/** @param {Upload} upload */
function noteOf({ note, startedAt }) {
  const seconds = Math.floor((performance.now() - startedAt) / 1000);
  return seconds < 2 ? `${note} …` : `${note} … ${seconds} s`;
}

/** @param {Upload} upload */
function preview(upload) {
  const { before, after, width, height, name } = upload;
  if (upload.state === 'done' && after && width && height) {
    const figure = compare({ before, after, width, height, name });
    return [figure, backgroundPicker(figure)];
  }
  if (upload.state === 'failed') {
    return [
      photo(upload, 'cut-photo'),
      errorBox(upload.error),
      h('button', { type: 'button', onclick: () => retry(upload) }, 'Try again'),
    ];
  }
  return [
    photo(upload, 'cut-photo is-waiting'),
    h('div', { class: 'working' }),
    h('p', { class: 'fine', id: 'cut-note' }, noteOf(upload)),
  ];
}

/** @param {Upload} upload */
function retry(upload) {
  upload.state = 'waiting';
  draw(upload);
  processNext();
}

/**
 * Shows a cut-out that was mended in place of the one before.
 * @param {Upload} upload
 * @param {import('./mend/brush.js').Mended} mended
 */
function takeMended(upload, { cutOut, strokes }) {
  const alpha = upload.cutOut;
  if (upload.after) URL.revokeObjectURL(upload.after);
  // A person has looked at it.
  const review = { needed: false, reasons: upload.review?.reasons ?? [] };
  Object.assign(upload, { cutOut, after: URL.createObjectURL(cutOut), review });
  if (alpha) upload.mended = { alpha, strokes };
  upload.panel = undefined;
  announce(`${upload.name} is mended`);
  draw(upload);
}

/** @param {Upload} upload */
function panelOf(upload) {
  if (upload.state !== 'done') return undefined;
  upload.panel ??= cutOutPanel(upload, (mended) => takeMended(upload, mended));
  return upload.panel;
}

const STATES = { waiting: 'waiting', working: 'in progress', done: 'done', failed: 'failed' };

/** @param {Upload} upload */
const tile = (upload) =>
  h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: `strip-tile checkerboard is-${upload.state}`,
        'aria-pressed': String(upload === selected),
        'aria-label': `${upload.name}: ${STATES[upload.state]}`,
        onclick: () => select(upload),
      },
      h('img', { src: upload.after ?? upload.before, alt: '' }),
    ),
  );

/** @param {Upload} changed */
function draw(changed) {
  if (changed === selected) {
    fill(byId('cut-preview'), preview(changed));
    fill(byId('cut-panel'), panelOf(changed));
  }
  const strip = byId('cut-strip');
  const hadFocus = strip.contains(document.activeElement);
  fill(strip, uploads.length > 1 && uploads.map(tile));
  const pressed = strip.querySelector('[aria-pressed="true"]');
  if (hadFocus && pressed instanceof HTMLElement) pressed.focus();
}

/** @param {ClipboardEvent} event */
function addPasted({ clipboardData }) {
  if (byId('cut').checkVisibility()) addFiles([...(clipboardData?.files ?? [])]);
}

async function addSample() {
  const blob = await (await fetch(SAMPLE)).blob();
  addFiles([new File([blob], 'sweater-on-oak.jpg', { type: blob.type })]);
}

/** Opens the page that removes the background of photos. */
export function openCutOut() {
  takeFiles(byId('cut-drop'), addFiles, byId('cut-page'));
  document.addEventListener('paste', addPasted);
  byId('cut-sample').addEventListener('click', addSample);
  setInterval(() => {
    const note = document.getElementById('cut-note');
    if (note && selected) note.textContent = noteOf(selected);
  }, 1000);
}
