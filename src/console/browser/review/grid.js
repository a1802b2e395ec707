import { fill, h } from '../element.js';
import { say } from '../texts.js';
import { DECISION_WORDS, nameOf, shortReasons } from './words.js';

/** @typedef {import('./rows.js').Row} Row */

/** Of a tile, pixels. */
const MIN_WIDTH = 140;
const HEIGHT = 232;
const GAP = 12;
/** Lines of tiles beyond the edges that are in the page too. */
const OVERSCAN = 2;
/** Tiles in place of rows that may follow. */
const PLACEHOLDERS = 24;

/**
 * A list of all rows as tiles, of which only those in view are in the page.
 * @param {import('./rows.js').Rows} rows
 * @param {import('./pictures.js').Pictures} pictures
 * @param {{onSelect: (index: number) => void, onOpen: (index: number) => void}} listeners
 */
export function createGrid(rows, pictures, { onSelect, onOpen }) {
  const canvas = h('div.review-canvas', { role: 'presentation' });
  const list = h(
    'div.review-grid',
    { role: 'listbox', tabindex: 0, 'aria-label': say('review.list'), onscroll: drawSoon },
    canvas,
  );
  /** @type {Map<number, {node: HTMLElement, frame: HTMLElement, row: Row | undefined, stop: AbortController}>} */
  const tiles = new Map();
  let selected = 0;
  let columns = 1;
  let width = MIN_WIDTH;
  let isScheduled = false;

  const length = () => rows.length() + (rows.hasMore() ? PLACEHOLDERS : 0);

  function drawSoon() {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  }

  function measure() {
    const inner = list.clientWidth - 2 * GAP;
    if (inner <= 0) return;
    columns = Math.max(1, Math.floor((inner + GAP) / (MIN_WIDTH + GAP)));
    width = (inner + GAP) / columns - GAP;
    drawSoon();
  }

  /** @param {number} index */
  const topOf = (index) => GAP + Math.floor(index / columns) * (HEIGHT + GAP);

  /** @param {Row} row @param {HTMLElement} frame @param {AbortSignal} signal */
  async function drawPicture(row, frame, signal) {
    try {
      const { url } = await pictures.thumbnail(row, signal);
      if (!signal.aborted) fill(frame, h('img', { src: url, alt: '', draggable: 'false' }));
    } catch {
      if (!signal.aborted) fill(frame, h('span.fine', say('review.noPicture')));
    }
  }

  /** @param {number} index @param {Row | undefined} row @param {HTMLElement} frame */
  const tile = (index, row, frame) =>
    h(
      'div',
      {
        class: `review-tile${row ? ` is-${row.decision}` : ' is-empty'}`,
        role: 'option',
        id: `review-${index}`,
        'data-index': index,
        'aria-setsize': rows.hasMore() ? -1 : rows.length(),
        'aria-posinset': index + 1,
        ...(row && {
          'data-row': row.row,
        }),
        ...(!row && { 'aria-label': say('review.loading') }),
      },
      frame,
      row && h('span.review-name', nameOf(row)),
      row && h('span.fine', shortReasons(row)),
      row && row.decision !== 'pending' && mark(row.decision),
    );

  /** Draws a tile whose row is another one, or has changed; its picture stays if it is the same. @param {number} index */
  function drawTile(index) {
    const row = rows.get(index);
    const known = tiles.get(index);
    if (known && known.row === row) return known.node;
    const isSame = row !== undefined && known?.row?.cutout.sha256 === row.cutout.sha256;
    const frame = isSame ? known.frame : h('div.review-picture');
    const stop = isSame ? known.stop : new AbortController();
    const node = tile(index, row, frame);
    if (!isSame) {
      known?.stop.abort();
      if (row) drawPicture(row, frame, stop.signal);
    }
    if (known) known.node.replaceWith(node);
    else canvas.append(node);
    tiles.set(index, { node, frame, row, stop });
    return node;
  }

  /** @param {number} index @param {HTMLElement} node */
  function place(index, node) {
    const left = GAP + (index % columns) * (width + GAP);
    node.style.width = `${width}px`;
    node.style.transform = `translate(${left}px, ${topOf(index)}px)`;
  }

  function draw() {
    const total = length();
    canvas.style.height = `${topOf(Math.max(0, total - 1)) + HEIGHT + GAP}px`;
    const line = HEIGHT + GAP;
    const first = columns * Math.max(0, Math.floor(list.scrollTop / line) - OVERSCAN);
    const lines = Math.ceil(list.clientHeight / line) + 2 * OVERSCAN + 1;
    const end = Math.min(total, first + lines * columns);
    for (const [index, { node, stop }] of tiles) {
      if (index >= first && index < end) continue;
      stop.abort();
      node.remove();
      tiles.delete(index);
    }
    for (let index = first; index < end; index++) {
      const node = drawTile(index);
      node.setAttribute('aria-selected', String(index === selected));
      place(index, node);
    }
    if (tiles.has(selected)) list.setAttribute('aria-activedescendant', `review-${selected}`);
    else list.removeAttribute('aria-activedescendant');
    if (total > 0) rows.ensure(first, end);
  }

  /** @param {number} index */
  function reveal(index) {
    const top = topOf(index);
    const bottom = top + HEIGHT + GAP;
    if (top - GAP < list.scrollTop) list.scrollTop = top - GAP;
    else if (bottom > list.scrollTop + list.clientHeight) {
      list.scrollTop = bottom - list.clientHeight;
    }
  }

  /** @param {Event} event */
  const indexAt = ({ target }) => {
    const node = target instanceof Element ? target.closest('[data-index]') : null;
    return node instanceof HTMLElement ? Number(node.dataset.index) : undefined;
  };
  list.addEventListener('click', (event) => {
    const index = indexAt(event);
    if (index === undefined) return;
    if (index === selected) onOpen(index);
    else onSelect(index);
  });
  new ResizeObserver(measure).observe(list);

  return {
    node: list,
    draw: drawSoon,
    columns: () => columns,
    /** @param {number} index */
    select(index) {
      selected = index;
      measure();
      draw();
      reveal(index);
      drawSoon();
    },
  };
}

/** @param {import('./rows.js').Decision} decision */
const mark = (decision) =>
  h('span', { class: `review-mark is-${decision}` }, DECISION_WORDS[decision]);
