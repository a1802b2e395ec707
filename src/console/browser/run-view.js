import { ApiError, call, callJson, pause } from './api.js';
import { duplicateTable } from './duplicates.js';
import { announce, fill, h, icon } from './element.js';
import { errorBox } from './error-box.js';
import { errorTable, readFirstErrors } from './error-table.js';
import { listen } from './events.js';
import { gallery } from './gallery.js';
import { save } from './image-files.js';
import { toHash } from './review/address.js';
import { say, textOf } from './texts.js';

/** Between two reads of the results while the run is active. */
const REFRESH_MILLIS = 1500;

/**
 * @typedef {object} Counts
 * @property {number} accepted
 * @property {number} rejected
 * @property {number} queued
 * @property {number} active
 * @property {number} succeeded
 * @property {number} failed
 * @property {number} canceled
 *
 * @typedef {{name: string, path: string, subtitle?: string, photo?: () => Promise<Blob>}} RunImage `photo`: what it was
 *   made from, while it is there
 * @typedef {{line: string, name: string, reason: string}} RunError
 *
 * A batch or a feed run to watch.
 * @typedef {object} Run
 * @property {string} title
 * @property {string} self
 * @property {string} events
 * @property {string} cancel
 * @property {() => HTMLElement} [settings] of a feed
 * @property {string} review path of the batch or run that is reviewed when it has ended
 * @property {() => AsyncGenerator<RunImage>} images the finished ones
 * @property {() => AsyncGenerator<RunError>} errors
 * @property {readonly {label: string, path: string, name: string}[]} downloads
 */

const TERMINAL_STATUSES = ['completed', 'canceled', 'expired', 'failed'];

const SEGMENTS = /** @type {const} */ ([
  ['succeeded', 'is-good'],
  ['failed', 'is-bad'],
  ['rejected', 'is-bad'],
  ['active', 'is-active'],
  ['queued', ''],
  ['canceled', ''],
]);

/** @param {Counts} counts */
function progress(counts) {
  const total = Math.max(1, counts.accepted + counts.rejected);
  const done = total - counts.queued - counts.active;
  const summary = SEGMENTS.flatMap(([name]) =>
    counts[name] > 0 ? [say(`rows.${name}`, { count: counts[name] })] : [],
  );
  return [
    h(
      'div.progress',
      {
        role: 'progressbar',
        'aria-label': say('run.rows'),
        'aria-valuemin': 0,
        'aria-valuemax': total,
        'aria-valuenow': done,
      },
      SEGMENTS.map(
        ([name, className]) =>
          className && h('span', { class: className, '--share': counts[name] / total }),
      ),
    ),
    h('p.fine', summary.join(' · ') || say('run.noRows')),
  ];
}

const ARROW = 'M12 4v12m-5-5 5 5 5-5M5 20h14';

/** @param {{label: string, path: string, name: string}} download @param {(error: unknown) => void} onError */
const downloadButton = ({ label, path, name }, onError) =>
  h(
    'button',
    {
      onclick: () =>
        call(path, { noTimeout: true })
          .then(async (response) => save(await response.blob(), name))
          .catch(onError),
    },
    icon(ARROW),
    label,
  );

/**
 * What a held run would lose, and a button that lets it go on.
 * @param {{rows: Share, pictures: Share, first: {id: string, title?: string}[]}} loss
 * @param {() => Promise<void>} confirm
 * @typedef {{before: number, lost: number}} Share
 */
const heldBox = ({ rows, pictures, first }, confirm) =>
  h(
    'div.error-box',
    { role: 'alert' },
    h(
      'p',
      h('b', say('held.title')),
      ' ',
      say('held.loss', {
        rows: rows.lost,
        rowsBefore: rows.before,
        pictures: pictures.lost,
        picturesBefore: pictures.before,
      }),
    ),
    first.length > 0 &&
      h(
        'p.fine',
        say('held.missing', {
          names: [
            ...first.map(({ id, title }) => (title ? `${id} (${title})` : id)),
            ...(rows.lost > first.length ? ['…'] : []),
          ].join(', '),
        }),
      ),
    h('button', { onclick: confirm }, say('held.confirm')),
  );

/** @param {Run} run @param {import('./review/rows.js').Counts} counts */
const linkToReview = ({ review }, { needed, pending }) =>
  h(
    'p.review-link',
    h(
      'a.button',
      { href: toHash({ path: review, all: needed === 0 }) },
      needed > 0 ? say('run.review') : say('run.look'),
    ),
    h(
      'span.fine',
      needed === 0
        ? say('run.noneNeeded')
        : pending === 0
          ? say('run.reviewed', { count: needed })
          : say('run.waiting', { count: pending, needed }),
    ),
  );

/** Results may not exist yet or have expired: that is no error of the page. @param {unknown} error */
const ignoreApiError = (error) => {
  if (!(error instanceof ApiError)) throw error;
};

/**
 * Creates a panel that follows a run to its end.
 * @param {Run} run
 * @param {AbortSignal} signal stops following
 */
export function runView(run, signal) {
  const status = h('span.tag', say('status.open'));
  const bar = h('div.stack');
  const errors = h('div');
  const errorPlace = h('div');
  const { node: pictures, refresh } = gallery(run.images);
  const reviewLink = h('div');
  const duplicates = h('div');
  const held = h('div');
  const downloads = h(
    'div.buttons',
    run.downloads.map((one) => downloadButton(one, showError)),
  );
  const cancelButton = h(
    'button.quiet',
    { onclick: () => call(run.cancel, { method: 'POST' }).catch(showError) },
    say('dialog.cancel'),
  );
  const section = h(
    'section.panel.stack.run',
    { 'aria-label': run.title },
    h('div.row-head', h('h2', { tabindex: -1 }, run.title), status, cancelButton),
    bar,
    held,
    reviewLink,
    ...pictures,
    duplicates,
    errors,
    downloads,
    run.settings?.(),
    errorPlace,
  );

  /** @param {unknown} error */
  function showError(error) {
    fill(errorPlace, errorBox(error));
  }

  /** Asks whether a run may lose what it would lose. */
  async function drawHeld() {
    if (section.dataset.status !== 'held') return fill(held);
    const { held: loss, links } = await callJson(run.self);
    if (!loss) return;
    const confirm = () => call(links.confirm, { method: 'POST' }).then(() => fill(held), showError);
    fill(held, heldBox(loss, confirm));
  }

  /** Shows what is known only when all rows are processed. */
  async function drawOutcome() {
    const { review, duplicates: counts, links } = await callJson(run.self);
    if (review) fill(reviewLink, linkToReview(run, review));
    if (counts?.groups > 0) fill(duplicates, await duplicateTable(links.duplicates, counts));
  }

  let refreshing = Promise.resolve();
  let isScheduled = false;
  /** One refresh at a time, and one more for all events meanwhile: each may read many rows. */
  function refreshSoon() {
    if (isScheduled) return;
    isScheduled = true;
    refreshing = refreshing.then(async () => {
      isScheduled = false;
      await refresh().catch(ignoreApiError);
      const rows = await readFirstErrors(run.errors).catch(ignoreApiError);
      if (rows) fill(errors, errorTable(rows));
      if (!TERMINAL_STATUSES.includes(section.dataset.status ?? '')) await pause(REFRESH_MILLIS);
    });
  }

  async function follow() {
    for await (const { data } of listen(run.events, signal)) {
      status.textContent = textOf(`status.${data.status}`) ?? data.status;
      section.dataset.status = data.status;
      cancelButton.hidden = TERMINAL_STATUSES.includes(data.status);
      fill(bar, progress(data.counts));
      await drawHeld();
      refreshSoon();
    }
    await refreshing;
    await drawOutcome().catch(ignoreApiError);
    if (section.dataset.status === 'failed') {
      const { problem } = await callJson(run.self);
      if (problem) showError(new ApiError(problem));
    }
    announce(`${run.title}: ${status.textContent}`);
  }

  downloads.hidden = run.downloads.length === 0;
  follow().catch(showError);
  return section;
}
