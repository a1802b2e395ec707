import { callJson } from './api.js';
import { batchRun, startBatch } from './batch.js';
import { takeFiles } from './drop.js';
import { byId, fill, h } from './element.js';
import { faultBox } from './fault-box.js';
import { feedRun, startFeed } from './feed.js';
import { runView } from './run-view.js';

const EARLIER = 8;

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
 * A form whose button works once at a time, and whose faults are shown under it.
 * @param {string} id
 * @param {(button: HTMLButtonElement) => Promise<void>} submit
 */
function installForm(id, submit) {
  const form = byId(`${id}-form`, HTMLFormElement);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[type="submit"]'));
  const words = button.textContent;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    fill(byId(`${id}-fault`));
    try {
      await submit(button);
    } catch (error) {
      fill(byId(`${id}-fault`), faultBox(error));
    }
    button.disabled = false;
    button.textContent = words;
    drawEarlier();
  });
}

/**
 * A drop zone that remembers what was chosen, and says it.
 * @param {string} drop
 * @param {string} note
 */
function chooser(drop, note) {
  /** @type {File[]} */
  let chosen = [];
  const words = byId(note).textContent;
  /** @param {File[]} files */
  const choose = (files) => {
    chosen = files;
    const [first] = files;
    byId(note).textContent =
      files.length === 1 ? (first?.name ?? '') : files.length > 1 ? `${files.length} files` : words;
  };
  takeFiles(byId(drop), choose);
  return { files: () => chosen, clear: () => choose([]) };
}

function installBatch() {
  const { files, clear } = chooser('batch-drop', 'batch-chosen');
  installForm('batch', async (button) => {
    const chosen = files();
    if (chosen.length === 0) return byId('batch-files').focus();
    const wish = {
      files: chosen,
      name: byId('batch-name', HTMLInputElement).value.trim(),
      classify: byId('batch-classify', HTMLInputElement).checked,
    };
    const batch = await startBatch(wish, (done) => {
      button.textContent = `Handing in, ${done} of ${chosen.length}`;
    });
    clear();
    watch(batchRun(batch));
  });
}

function installFeed() {
  const { files, clear } = chooser('feed-drop', 'feed-chosen');
  installForm('feed', async () => {
    const address = byId('feed-url', HTMLInputElement);
    const [file] = files();
    if (!file && !address.value) return address.focus();
    const onWhite = byId('feed-white', HTMLInputElement).checked;
    const feed = await startFeed({ url: address.value, file, onWhite });
    clear();
    watch(feedRun(feed));
  });
}

/** @param {string} title @param {string} createdAt @param {() => import('./run-view.js').Run} run */
const earlierRow = (title, createdAt, run) =>
  h(
    'li',
    {},
    h(
      'button',
      { class: 'quiet', type: 'button', onclick: () => watch(run()) },
      h('span', {}, title),
      h(
        'time',
        { class: 'fine', datetime: createdAt },
        new Date(createdAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }),
      ),
    ),
  );

async function drawEarlier() {
  try {
    const [{ batches }, { feeds }] = await Promise.all([
      callJson(`/intake/v1/batches?limit=${EARLIER}`),
      callJson(`/intake/v1/feeds?limit=${EARLIER}`),
    ]);
    const all = [
      ...batches.map((/** @type {any} */ batch) => ({
        at: batch.createdAt,
        run: () => batchRun(batch),
      })),
      ...feeds
        .filter((/** @type {any} */ { run }) => run)
        .map((/** @type {any} */ feed) => ({ at: feed.run.createdAt, run: () => feedRun(feed) })),
    ];
    all.sort((a, b) => b.at.localeCompare(a.at));
    byId('earlier').hidden = all.length === 0;
    fill(
      byId('earlier-list'),
      all.slice(0, EARLIER).map(({ at, run }) => earlierRow(run().title, at, run)),
    );
  } catch {
    byId('earlier').hidden = true; // whatever is started next says what is wrong
  }
}

/** Many pictures at once: batches and feeds. */
export function openCatalogue() {
  installBatch();
  installFeed();
  drawEarlier();
  return drawEarlier;
}
