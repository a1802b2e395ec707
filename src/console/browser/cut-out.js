import { compare } from './compare.js';
import { cutOutPanel } from './cut-out-panel.js';
import { downloadAll, downloadForm, fileOf } from './download-form.js';
import { linksIn, takeFiles } from './drop.js';
import { announce, byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { fetchPhotos } from './fetch-photos.js';
import { dropUrls, urlOf } from './image-files.js';
import { forget, keep, readKept } from './kept-photos.js';
import { Look } from './look.js';
import { readReview } from './review.js';
import { say } from './texts.js';
import { createUpload, removeBackground } from './upload.js';

/** @typedef {import('./upload.js').Upload} Upload */

const MAX_CONCURRENT = 2;
const SAMPLE = '/console/sample/sweater-on-oak.jpg';

/** @type {Upload[]} */
const uploads = [];
/** @type {Upload | undefined} */
let selected;

const look = new Look(() => drawFile());
const downloads = downloadForm(
  look,
  () => selected,
  () => drawFile(),
);

/** @param {Upload} upload */
async function processUpload(upload) {
  Object.assign(upload, {
    state: 'working',
    note: say('cut.removing'),
    startedAt: performance.now(),
  });
  draw(upload);
  try {
    const response = await removeBackground(upload, upload.options, (seconds) => {
      upload.note = say('cut.busy', { seconds });
      draw(upload);
    });
    upload.cutOut = await response.blob();
    const { width, height } = await createImageBitmap(upload.cutOut);
    Object.assign(upload, {
      width,
      height,
      state: 'done',
      millis: performance.now() - upload.startedAt,
      model: response.headers.get('x-model') ?? undefined,
      isAlphaKept: response.headers.get('x-cutout-alpha') === 'kept',
      timing: response.headers.get('server-timing') ?? undefined,
      confidence: Number(response.headers.get('x-cutout-confidence')),
      review: readReview(response.headers),
    });
    announce(say('cut.ready', { name: upload.name }));
  } catch (error) {
    Object.assign(upload, { state: 'failed', error });
    announce(say('cut.failed', { name: upload.name }));
  }
  draw(upload);
  keepAll([upload]);
}

/** Keeps photos for a reload, unless they were removed meanwhile. @param {readonly Upload[]} some */
async function keepAll(some) {
  for (const upload of some) {
    if (uploads.includes(upload)) await keep(upload, uploads);
    if (!uploads.includes(upload)) await forget([upload]).catch(() => {}); // removed meanwhile
  }
  showStorage();
}

/** Says which photos a reload would lose. */
function showStorage() {
  const lost = uploads.filter(({ isKept }) => isKept === false).length;
  byId('cut-storage').textContent =
    lost > 0 ? say('cut.notKept', { lost, count: uploads.length }) : '';
}

/** Starts waiting uploads, up to the limit. */
function processNext() {
  while (uploads.filter(({ state }) => state === 'working').length < MAX_CONCURRENT) {
    const next = uploads.find(({ state }) => state === 'waiting');
    if (!next) return;
    processUpload(next).finally(processNext);
  }
}

/** @param {File[]} photos */
function addPhotos(photos) {
  const added = photos.map((photo) => createUpload(photo, look.readCut()));
  show(added);
  keepAll(added);
}

/** @param {Upload[]} added */
function show(added) {
  const [first] = added;
  if (!first) return;
  uploads.push(...added);
  select(first);
  processNext();
}

/** @param {readonly Upload[]} gone */
async function remove(gone) {
  const place = uploads.findIndex((upload) => gone.includes(upload));
  const left = uploads.filter((upload) => !gone.includes(upload));
  uploads.splice(0, uploads.length, ...left);
  for (const { photo, cutOut, made } of gone) {
    dropUrls(photo, cutOut, made?.blob);
  }
  selected = left[Math.min(place, left.length - 1)];
  draw(selected);
  (byId('cut-actions').querySelector('button') ?? byId('cut-files')).focus();
  announce(say('cut.removed', { count: gone.length, name: gone[0]?.name ?? '' }));
  await forget(gone).catch(() => {}); // then there is no storage
  await keepAll(left.filter(({ isKept }) => isKept === false));
}

/** @param {Upload} upload */
function select(upload) {
  selected = upload;
  draw(upload);
}

/** @param {Upload} upload @param {string} className */
function photoOf({ photo, name }, className) {
  const alt = say('picture.photo', { name });
  const image = h('img', { class: className, src: urlOf(photo), alt });
  image.addEventListener('error', () => image.remove()); // a format the browser cannot show
  return image;
}

/** @param {Upload} upload */
function noteOf({ note, startedAt }) {
  const seconds = Math.floor((performance.now() - startedAt) / 1000);
  return seconds < 2 ? `${note} …` : `${note} … ${seconds} s`;
}

/**
 * Shows the file of the look: beside its photo, unless it is cropped.
 * @param {Upload} upload
 * @param {Blob} cutOut
 */
function result(upload, cutOut) {
  const { photo, name, width = 1, height = 1 } = upload;
  const file = fileOf(upload, look);
  const after = urlOf(file ?? cutOut);
  const isFramed = !file || file === cutOut || !look.reframes();
  const figure = isFramed
    ? compare({ before: urlOf(photo), after, width, height, name })
    : h('img.cut-photo.checkerboard', { src: after, alt: say('picture.cutOut', { name }) });
  const colour = file ? '' : look.colour();
  if (colour) figure.dataset.background = 'colour';
  figure.style.setProperty('--background-colour', colour);
  if (upload.isSeen) figure.classList.remove('is-new');
  upload.isSeen = true;
  return figure;
}

/** @param {Upload} upload */
function preview(upload) {
  if (upload.state === 'done' && upload.cutOut) return result(upload, upload.cutOut);
  if (upload.state === 'failed') {
    return [
      photoOf(upload, 'cut-photo'),
      errorBox(upload.error),
      h('button', { onclick: () => retry(upload) }, say('cut.again')),
    ];
  }
  return [
    photoOf(upload, 'cut-photo is-waiting'),
    h('div.working'),
    h('p.fine', { id: 'cut-note' }, noteOf(upload)),
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
  dropUrls(alpha, upload.made?.blob);
  // A person has looked at it.
  const review = { needed: false, reasons: upload.review?.reasons ?? [] };
  Object.assign(upload, { cutOut, review, made: undefined });
  if (alpha) upload.mended = { alpha, strokes };
  upload.panel = undefined;
  announce(say('cut.mended', { name: upload.name }));
  draw(upload);
  keepAll([upload]);
}

/** @param {Upload} upload */
function panelOf(upload) {
  if (upload.state !== 'done') return [];
  const panel = upload.panel ?? cutOutPanel(upload, (mended) => takeMended(upload, mended));
  upload.panel = panel;
  const [facts, ...others] = panel;
  return [facts, downloads.node, ...others];
}

const STATES = {
  waiting: say('cut.state.waiting'),
  working: say('cut.state.working'),
  done: say('cut.state.done'),
  failed: say('cut.state.failed'),
};

/** @param {Upload} upload */
const tile = (upload) =>
  h(
    'li',
    h(
      'button',
      {
        class: `strip-tile checkerboard is-${upload.state}`,
        'aria-pressed': String(upload === selected),
        'aria-label': `${upload.name}: ${STATES[upload.state]}`,
        onclick: () => select(upload),
      },
      h('img', { src: urlOf(upload.cutOut ?? upload.photo), alt: '' }),
    ),
  );

/** @param {Event} event */
async function downloadDone({ currentTarget }) {
  const button = /** @type {HTMLButtonElement} */ (currentTarget);
  const done = uploads.filter(({ state }) => state === 'done');
  button.disabled = true;
  const said = byId('cut-said');
  const failed = await downloadAll(done, look, (count) => {
    said.textContent = say('cut.drawing', { at: count + 1, count: done.length });
  });
  said.textContent = failed.length > 0 ? say('cut.notInArchive', { names: failed.join(', ') }) : '';
  button.disabled = false;
}

/** What can be done with the photos that are there. */
function actions() {
  const one = selected;
  const done = uploads.filter(({ state }) => state === 'done');
  const removeAll = () => confirm(say('cut.removeAllAsk')) && remove([...uploads]);
  return [
    one && h('button.quiet', { onclick: () => remove([one]) }, say('cut.remove')),
    done.length > 1 && h('button', { onclick: downloadDone }, say('cut.zip')),
    uploads.length > 1 && h('button.quiet', { onclick: removeAll }, say('cut.removeAll')),
  ];
}

/** Draws the file of the look, without its fields: one of them may have the focus. */
function drawFile() {
  fill(byId('cut-preview'), selected && preview(selected));
  downloads.show();
}

/** @param {Upload} [changed] none when there are no photos any more */
function draw(changed) {
  byId('cut').classList.toggle('has-photos', uploads.length > 0);
  byId('cut-work').hidden = uploads.length === 0;
  if (changed === selected) {
    fill(byId('cut-panel'), ...(changed ? panelOf(changed) : []));
    drawFile();
  }
  const counts = uploads.map(({ state }) => state === 'done').join();
  const bar = byId('cut-actions');
  if (bar.dataset.counts !== `${selected?.id} ${counts}`) fill(bar, actions());
  bar.dataset.counts = `${selected?.id} ${counts}`;
  const strip = byId('cut-strip');
  const hadFocus = strip.contains(document.activeElement);
  fill(strip, uploads.length > 1 && uploads.map(tile));
  const pressed = strip.querySelector('[aria-pressed="true"]');
  if (hadFocus && pressed instanceof HTMLElement) pressed.focus();
}

/** A browser that drags a picture gives both. @param {File[]} photos @param {readonly string[]} links */
function addAll(photos, links) {
  if (photos.length > 0) addPhotos(photos);
  else if (links.length > 0) fetchPhotos(links, addPhotos);
}

/** @param {ClipboardEvent} event */
function addPasted({ clipboardData, target }) {
  if (!byId('cut').checkVisibility()) return;
  const isField = target instanceof HTMLElement && target.matches('input, textarea');
  addAll([...(clipboardData?.files ?? [])], isField ? [] : linksIn(clipboardData));
}

async function addSample() {
  const blob = await (await fetch(SAMPLE)).blob();
  addPhotos([new File([blob], 'sweater-on-oak.jpg', { type: blob.type })]);
}

/** Opens the page that removes the background of photos. */
export function openCutOut() {
  fill(byId('cut-options'), look.cut);
  takeFiles(byId('cut-drop'), addAll, byId('cut-page'));
  document.addEventListener('paste', addPasted);
  byId('cut-sample').addEventListener('click', addSample);
  addEventListener('beforeunload', (event) => {
    if (uploads.some(({ isKept }) => !isKept)) event.preventDefault();
  });
  readKept().then(show, () => {}); // then there is no storage: the next photo says so
  setInterval(() => {
    const note = document.getElementById('cut-note');
    if (note && selected) note.textContent = noteOf(selected);
  }, 1000);
}
