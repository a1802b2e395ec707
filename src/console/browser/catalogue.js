import { callJson } from './api.js';
import { batchRun, startBatch } from './batch.js';
import { makeFile } from './download-form.js';
import { takeFiles } from './drop.js';
import { byId, fill, h } from './element.js';
import { attempt, errorBox } from './error-box.js';
import { countFeed, feedRun, inspectFeed, isTable, startFeed } from './feed.js';
import { feedFields } from './feed-fields.js';
import { urlOf } from './image-files.js';
import { Look } from './look.js';
import { rulesVerdict } from './rules-verdict.js';
import { runView } from './run-view.js';
import { formatDate, say } from './texts.js';
import { createUpload } from './upload.js';

const MAX_RECENT = 8;

let watching = new AbortController();

/** @param {import('./run-view.js').Run} run */
function watch(run) {
  watching.abort();
  watching = new AbortController();
  const view = runView(run, watching.signal);
  fill(byId('run'), view);
  view.scrollIntoView({ block: 'nearest' });
}

/**
 * Sets up a form: its button is disabled while `submit` runs, and errors are shown below it.
 * @param {string} id
 * @param {(button: HTMLButtonElement) => Promise<void>} submit
 */
function installForm(id, submit) {
  const form = byId(`${id}-form`, HTMLFormElement);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[type="submit"]'));
  const label = button.textContent;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    await attempt(byId(`${id}-error`), () => submit(button));
    button.disabled = false;
    button.textContent = label;
    drawRecent();
  });
}

/**
 * Sets up a drop zone that remembers the chosen files and names them in its note.
 * @param {string} drop
 * @param {string} note
 * @param {(files: File[]) => void} [onChoose]
 */
function fileChooser(drop, note, onChoose = () => {}) {
  /** @type {File[]} */
  let chosen = [];
  const hint = byId(note).textContent;
  /** @param {File[]} files */
  const choose = (files) => {
    chosen = files;
    const [first] = files;
    byId(note).textContent =
      files.length === 0
        ? hint
        : say('batch.chosen', { count: files.length, name: first?.name ?? '' });
    onChoose(files);
  };
  takeFiles(byId(drop), choose);
  return { files: () => chosen, clear: () => choose([]) };
}

function installBatch() {
  /** Shows what is recognised in the tables among the chosen files; lists of our own are none. */
  const describe = async () => {
    const chosen = files();
    const found = await Promise.all(
      chosen.filter(isTable).map((file) => inspectFeed(file).catch(() => ({ problem: {} }))),
    );
    if (files() !== chosen) return;
    byId('batch-read').textContent = found
      .map(({ problem, text }) => (problem ? '' : text))
      .join(' ');
  };
  const look = new Look();
  fill(byId('batch-look'), look.cut, look.node);
  const isImage = (/** @type {File} */ file) => !isTable(file);
  const tried = byId('batch-tried');
  const { files, clear } = fileChooser('batch-drop', 'batch-chosen', () => {
    byId('batch-try').hidden = !files().some(isImage);
    fill(tried);
    describe();
  });
  byId('batch-try').onclick = async () => {
    const photo = files().find(isImage);
    if (!photo) return;
    fill(tried, h('div.working'));
    try {
      const upload = createUpload(photo, {});
      const src = urlOf(await makeFile(upload, look));
      if (!files().includes(photo)) return;
      const image = h('img.cut-photo.checkerboard', {
        src,
        alt: say('picture.cutOut', { name: photo.name }),
      });
      fill(tried, image, ...rulesVerdict(upload.made?.rules));
    } catch (error) {
      fill(tried, errorBox(error));
    }
  };
  installForm('batch', async (button) => {
    const chosen = files();
    if (chosen.length === 0) return byId('batch-files').focus();
    const request = {
      files: chosen,
      name: byId('batch-name', HTMLInputElement).value.trim(),
      classify: byId('batch-classify', HTMLInputElement).checked,
      options: look.request(),
    };
    const batch = await startBatch(request, (done) => {
      button.textContent = say('batch.uploading', { done, count: chosen.length });
    });
    clear();
    watch(batchRun(batch));
  });
}

/** @param {any} feed */
const runOf = (feed) => feedRun(feed, (latest) => watch(runOf(latest)));

function installFeed() {
  let fields = feedFields();
  const place = byId('feed-fields');
  /** Shows what is recognised in the chosen file, also after the mapping was edited. */
  const describe = async () => {
    const [file] = files();
    byId('feed-read').textContent = '';
    if (!file) return;
    const found = await inspectFeed(file, fields.read().mapping).catch(({ message }) => ({
      text: message,
    }));
    if (files()[0] !== file) return;
    byId('feed-read').textContent = found.text;
    if (found.labels) fields.suggest(found);
  };
  const { files, clear } = fileChooser('feed-drop', 'feed-chosen', () => void describe());
  place.addEventListener('change', describe);
  fill(place, fields.node);
  const url = byId('feed-url', HTMLInputElement);
  const plan = byId('feed-plan');
  const request = () => ({
    url: url.value,
    file: files()[0],
    onWhite: byId('feed-white', HTMLInputElement).checked,
    settings: fields.read(),
  });
  byId('feed-count').onclick = async () => {
    if (!request().file && !url.value) return url.focus();
    plan.textContent = say('feed.counting');
    plan.textContent = await countFeed(request()).catch((error) => error.message);
  };
  installForm('feed', async () => {
    if (!request().file && !url.value) return url.focus();
    const feed = await startFeed(request());
    clear();
    plan.textContent = '';
    fields = feedFields();
    fill(place, fields.node);
    watch(runOf(feed));
  });
}

/** @param {string} title @param {string} createdAt @param {() => import('./run-view.js').Run} run */
const recentRow = (title, createdAt, run) =>
  h(
    'li',
    h(
      'button.quiet',
      { onclick: () => watch(run()) },
      h('span', title),
      h('time.fine', { datetime: createdAt }, formatDate(createdAt)),
    ),
  );

async function drawRecent() {
  try {
    const [{ batches }, { feeds }] = await Promise.all([
      callJson(`/intake/v1/batches?limit=${MAX_RECENT}`),
      callJson(`/intake/v1/feeds?limit=${MAX_RECENT}`),
    ]);
    const all = [
      ...batches.map((/** @type {any} */ batch) => ({
        createdAt: batch.createdAt,
        run: () => batchRun(batch),
      })),
      ...feeds
        .filter((/** @type {any} */ { run }) => run)
        .map((/** @type {any} */ feed) => ({
          createdAt: feed.run.createdAt,
          run: () => runOf(feed),
        })),
    ];
    all.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    byId('recent').hidden = all.length === 0;
    fill(
      byId('recent-list'),
      all.slice(0, MAX_RECENT).map(({ createdAt, run }) => recentRow(run().title, createdAt, run)),
    );
  } catch {
    byId('recent').hidden = true; // the next action shows the error
  }
}

/** Opens the page for many images at once: batches and feeds. */
export function openCatalogue() {
  installBatch();
  installFeed();
  drawRecent();
  return drawRecent;
}
