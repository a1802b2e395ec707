import { call, callJson, Fault, pause } from './api.js';
import { drawn, fill, h, say } from './element.js';
import { listen } from './events.js';
import { faultBox } from './fault-box.js';
import { faultTable, firstFaults } from './fault-table.js';
import { gallery } from './gallery.js';
import { save } from './pictures.js';

/** Between looks at what came of the rows, while they are worked on. */
const LOOK_MILLIS = 1500;

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
 * @typedef {{name: string, path: string, more?: string}} Picture `more` is a second line
 * @typedef {{where: string, name: string, reason: string}} RunFault
 *
 * Work on many pictures that can be watched, whatever started it.
 * @typedef {object} Run
 * @property {string} title
 * @property {string} self
 * @property {string} events
 * @property {string} cancel
 * @property {() => AsyncGenerator<Picture>} pictures those that are done
 * @property {() => AsyncGenerator<RunFault>} faults
 * @property {readonly {label: string, path: string, name: string}[]} downloads
 */

/** @type {Readonly<Record<string, string>>} */
const STATUSES = {
  open: 'Taking rows in',
  sealed: 'Waiting in line',
  running: 'At work',
  finalizing: 'Nearly done',
  completed: 'Done',
  canceling: 'Being called off',
  canceled: 'Called off',
  expired: 'Expired',
  failed: 'Failed',
};
const ENDED = ['completed', 'canceled', 'expired', 'failed'];

const PARTS = /** @type {const} */ ([
  ['succeeded', 'done', 'is-good'],
  ['failed', 'failed', 'is-bad'],
  ['rejected', 'rejected', 'is-bad'],
  ['active', 'at work', 'is-active'],
  ['queued', 'waiting', ''],
  ['canceled', 'called off', ''],
]);

/** @param {Counts} counts */
function progress(counts) {
  const all = Math.max(1, counts.accepted + counts.rejected);
  const done = all - counts.queued - counts.active;
  const words = PARTS.flatMap(([name, word]) =>
    counts[name] > 0 ? [`${counts[name].toLocaleString('en')} ${word}`] : [],
  );
  return [
    h(
      'div',
      {
        class: 'progress',
        role: 'progressbar',
        'aria-label': 'Rows',
        'aria-valuemin': 0,
        'aria-valuemax': all,
        'aria-valuenow': done,
      },
      PARTS.map(
        ([name, , kind]) => kind && h('span', { class: kind, '--share': counts[name] / all }),
      ),
    ),
    h('p', { class: 'fine' }, words.join(' · ') || 'No rows'),
  ];
}

const ARROW = 'M12 4v12m-5-5 5 5 5-5M5 20h14';

/** @param {{label: string, path: string, name: string}} download @param {Element} place of a fault */
const downloadButton = ({ label, path, name }, place) =>
  h(
    'button',
    {
      type: 'button',
      onclick: async () => {
        try {
          save(await (await call(path, { endless: true })).blob(), name);
        } catch (error) {
          fill(place, faultBox(error));
        }
      },
    },
    drawn('svg', { viewBox: '0 0 24 24', 'aria-hidden': true }, drawn('path', { d: ARROW })),
    label,
  );

/** What is not there yet, or not any more, is no fault of the page. @param {unknown} error */
const passOver = (error) => {
  if (!(error instanceof Fault)) throw error;
};

/**
 * A panel that follows a run to its end.
 * @param {Run} run
 * @param {AbortSignal} signal ends it
 */
export function runView(run, signal) {
  const status = h('span', { class: 'tag' }, STATUSES.open);
  const [bar, faults, faultPlace] = [h('div', { class: 'stack' }), h('div'), h('div')];
  const { list, refresh } = gallery(run.pictures);
  const downloads = h(
    'div',
    { class: 'buttons' },
    run.downloads.map((one) => downloadButton(one, faultPlace)),
  );
  const cancel = h('button', { class: 'quiet', type: 'button', onclick: callOff }, 'Call off');
  const section = h(
    'section',
    { class: 'panel stack run', 'aria-label': run.title },
    h('div', { class: 'row-head' }, h('h2', { tabindex: -1 }, run.title), status, cancel),
    ...[bar, list, faults, downloads, faultPlace],
  );

  async function callOff() {
    await call(run.cancel, { method: 'POST' }).catch((error) => fill(faultPlace, faultBox(error)));
  }

  let looking = Promise.resolve();
  let isWanted = false;
  /** One look at a time, and one more for all that happened meanwhile: each may read many rows. */
  function lookSoon() {
    if (isWanted) return;
    isWanted = true;
    looking = looking.then(async () => {
      isWanted = false;
      await refresh().catch(passOver);
      const rows = await firstFaults(run.faults).catch(passOver);
      if (rows) fill(faults, faultTable(rows));
      if (!ENDED.includes(section.dataset.status ?? '')) await pause(LOOK_MILLIS);
    });
  }

  async function follow() {
    for await (const { data } of listen(run.events, signal)) {
      status.textContent = STATUSES[data.status] ?? data.status;
      section.dataset.status = data.status;
      cancel.hidden = ENDED.includes(data.status);
      fill(bar, progress(data.counts));
      lookSoon();
    }
    await looking;
    if (section.dataset.status === 'failed') {
      const { problem } = await callJson(run.self);
      if (problem) fill(faultPlace, faultBox(new Fault(problem)));
    }
    say(`${run.title}: ${status.textContent}`);
  }

  downloads.hidden = run.downloads.length === 0;
  follow().catch((error) => fill(faultPlace, faultBox(error)));
  return section;
}
