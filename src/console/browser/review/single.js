import { ApiError, pause } from '../api.js';
import { backgroundPicker } from '../background-picker.js';
import { fill, h } from '../element.js';
import { errorBox } from '../error-box.js';
import { reasonText } from '../review.js';
import { formatDate, formatPercent, say, textOf } from '../texts.js';
import { categoryField } from './category.js';
import { rememberPhotoOf } from './local-photos.js';
import { DECISION_WORDS, nameOf } from './words.js';

/** @typedef {import('./rows.js').Row} Row */

const MAX_NOTE_CHARS = 500;
/** Before pictures are fetched: a person who holds an arrow key passes many rows. */
const SETTLE_MILLIS = 80;

/** @param {Row} row */
const reasonList = ({ reasons }) =>
  reasons.length > 0
    ? h(
        'ul.review-reasons',
        reasons.map((reason) => h('li', reasonText(reason))),
      )
    : h('p.fine', say('review.nothing'));

/** @param {Row} row */
function decisionText({ decision, source, decidedAt, decidedBy, note }) {
  if (decision === 'pending') return DECISION_WORDS.pending;
  const parts = [
    DECISION_WORDS[decision],
    textOf(`decision.${source}`),
    decidedAt && formatDate(decidedAt),
    decidedBy && say('decision.key', { key: decidedBy.keyId }),
    note && say('decision.note', { note }),
  ];
  return parts.filter((text) => text).join(', ');
}

/** @param {Row} row */
const mendedText = ({ refinements = 0 }) =>
  refinements > 0 ? ` · ${say('review.mendings', { count: refinements })}` : '';

/**
 * Shows one row: its photo beside its cut-out, and what to look at.
 * @param {string} path of the batch or run
 * @param {import('./pictures.js').Pictures} pictures
 * @param {HTMLElement} buttons those that decide
 * @param {(category: string) => void} onCategory
 */
export function createSingle(path, pictures, buttons, onCategory) {
  const photoPlace = h('div.review-frame');
  const cutOutPlace = h('div.review-frame.checkerboard');
  const name = h('h2', { tabindex: -1 });
  const facts = h('div.stack');
  const category = categoryField(onCategory);
  const note = h('input', {
    maxlength: MAX_NOTE_CHARS,
    placeholder: say('review.noteHint'),
    autocomplete: 'off',
    // Then the keys are decisions again.
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (['Enter', 'Escape'].includes(event.key)) note.blur();
    },
  });
  const node = h(
    'div.review-single',
    h(
      'div.review-pair',
      h('figure', photoPlace, h('figcaption.fine', say('review.photo'))),
      h('figure', cutOutPlace, h('figcaption.fine', say('review.cutOut'))),
      backgroundPicker(cutOutPlace, ['checkerboard', 'white', 'dark']),
    ),
    h(
      'aside.panel.stack.review-panel',
      name,
      facts,
      category.node,
      h('label.field', say('review.note'), note),
      buttons,
    ),
  );
  /** @type {Row | undefined} */
  let shown;
  let stop = new AbortController();

  /** @param {HTMLElement} place @param {() => Promise<{url: string}>} picture @param {string} alt @param {AbortSignal} signal */
  async function draw(place, picture, alt, signal) {
    const image = h('img', { alt, draggable: 'false' });
    try {
      await pause(SETTLE_MILLIS, signal);
      image.src = (await picture()).url;
      await image.decode();
      if (!signal.aborted) fill(place, image);
    } catch (error) {
      if (signal.aborted) return;
      if (place === photoPlace && error instanceof ApiError && error.type === 'gone') {
        fill(place, photoChooser(error.detail));
      } else fill(place, errorBox(error));
    }
  }

  /** @param {string} why */
  function photoChooser(why) {
    const input = h('input', {
      type: 'file',
      accept: 'image/jpeg,image/png,image/webp',
      onchange: () => {
        const [file] = input.files ?? [];
        if (!file || !shown) return;
        rememberPhotoOf(path, shown, file);
        drawPictures(shown);
      },
    });
    return h(
      'label.drop.review-chooser',
      input,
      h('span.drop-text', h('b', say('review.choosePhoto'))),
      h('span.fine', `${why}. ${say('review.photoStays')}`),
    );
  }

  /** @param {Row} row */
  function drawPictures(row) {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    for (const place of [photoPlace, cutOutPlace]) fill(place, h('div.working'));
    draw(
      photoPlace,
      () => pictures.photo(row),
      say('picture.photo', { name: nameOf(row) }),
      signal,
    );
    draw(
      cutOutPlace,
      () => pictures.cutOut(row),
      say('picture.cutOut', { name: nameOf(row) }),
      signal,
    );
  }

  return {
    node,
    name,
    note: () => note.value.trim(),
    /** @param {Row | undefined} row */
    show(row) {
      if (row === shown) return;
      const before = shown;
      shown = row;
      if (!row) {
        fill(name, say('review.loading'));
        return fill(facts);
      }
      fill(name, nameOf(row));
      fill(
        facts,
        row.title !== undefined && h('p.fine', row.customId),
        h('p', h('span', { class: `review-mark is-${row.decision}` }, decisionText(row))),
        h('h3', say('review.lookAt')),
        reasonList(row),
        h(
          'p.fine',
          `${say('review.confidence', { share: formatPercent(row.confidence, 1) })}${mendedText(row)}`,
        ),
      );
      category.show(row);
      if (before?.row === row.row && before.cutout.sha256 === row.cutout.sha256) return;
      if (before?.row !== row.row) note.value = '';
      drawPictures(row);
    },
    clearNote() {
      note.value = '';
    },
    redraw: () => shown && drawPictures(shown),
  };
}
