import { ApiError } from '../api.js';
import { backgroundPicker } from '../background-picker.js';
import { announce, fill, h } from '../element.js';
import { errorBox } from '../error-box.js';
import { openKeyHelp } from '../review/help.js';
import { KEYS, readKeys } from './keys.js';
import { createLayers } from './layers.js';
import { readPointers } from './pointers.js';
import { createPreview } from './preview.js';
import { createRefiner } from './refine.js';
import { createStrokes, simplify } from './strokes.js';
import { createViewport } from './viewport.js';

/**
 * @typedef {import('./strokes.js').Stroke} Stroke
 * @typedef {[number, number]} Point
 * @typedef {{strokes: readonly Stroke[], cutOut: Blob}} Mended
 */

/** Radius at first, and at most, of the longer side of the picture. */
const RADIUS = { first: 0.02, max: 0.25 };
const SIZE_STEP = 1.12;
const ZOOM_STEP = 1.25;

const STATES = {
  waiting: 'Applying the strokes …',
  exact: '',
  failed: 'The strokes were not applied.',
};

/** @param {string} label @param {string} key @param {() => void} onclick @param {string} [className] */
const tool = (label, key, onclick, className = '') =>
  h('button', { type: 'button', class: className, onclick, title: `${label} (${key})` }, label);

/**
 * Opens a cut-out to mend it with strokes of a brush.
 * @param {object} request
 * @param {string} request.name
 * @param {Blob} request.photo
 * @param {Blob} request.cutOut of the size of the upright photo
 * @param {(result: Mended) => Promise<void>} request.save
 * @throws {ApiError} if the pictures have different sizes; also if they cannot be shown
 */
export async function openBrush({ name, photo, cutOut, save }) {
  const [photoBitmap, before] = await Promise.all([
    createImageBitmap(photo),
    createImageBitmap(cutOut),
  ]);
  if (photoBitmap.width !== before.width || photoBitmap.height !== before.height) {
    throw new ApiError({
      type: 'unprocessable-image',
      title: 'Photo and cut-out have different sizes',
      detail: `The photo has ${photoBitmap.width} × ${photoBitmap.height} pixels, the cut-out ${before.width} × ${before.height}. Choose the photo that it was made from; a cropped cut-out cannot be mended here.`,
    });
  }
  const maxRadius = Math.max(2, RADIUS.max * Math.max(before.width, before.height));
  const strokes = createStrokes();
  const layers = createLayers(photoBitmap, before);
  const cursor = h('div', { class: 'mend-cursor', 'aria-hidden': true });
  const stage = h(
    'div',
    {
      class: 'mend-stage',
      tabindex: 0,
      role: 'application',
      'aria-label': `Brush over the cut-out of ${name}. Arrows move it, space paints, question mark lists the keys.`,
    },
    layers.node,
    cursor,
  );
  /** @type {'add' | 'erase'} */
  let mode = 'add';
  let radius = Math.max(1, RADIUS.first * Math.max(before.width, before.height));
  /** @type {Point} */
  let place = [before.width / 2, before.height / 2];
  /** @type {Stroke | undefined} */
  let drawing;
  let isBefore = false;
  let isWarned = false;

  const viewport = createViewport(stage, layers.node, layers, drawCursor);
  const preview = createPreview({
    layers,
    cutOut: before,
    refine: createRefiner(photo, cutOut, before),
    onState(name, error) {
      state.textContent = STATES[name];
      stage.dataset.state = name;
      fill(errorPlace, error !== undefined && errorBox(error));
    },
  });

  const addButton = tool('Add', 'A', () => setMode('add'));
  const eraseButton = tool('Erase', 'E', () => setMode('erase'));
  const undoButton = tool('Undo', 'U', undo);
  const redoButton = tool('Redo', 'Ctrl+Y', redo);
  const beforeButton = tool('Before', 'B', () => setBefore(!isBefore));
  const saveButton = tool('Save', 'Enter', submit, 'primary');
  const size = h('input', {
    type: 'range',
    min: 0,
    max: 100,
    'aria-label': 'Size of the brush',
    oninput: () => setRadius(maxRadius ** (Number(size.value) / 100)),
  });
  const state = h('p', { class: 'fine', role: 'status' });
  const errorPlace = h('div');
  const dialog = h(
    'dialog',
    {
      class: 'mend',
      'aria-label': `Mend ${name}`,
      onclose: close,
      oncancel: cancel,
      onkeydown: (/** @type {KeyboardEvent} */ event) => keys.onKeyDown(event),
      onkeyup: (/** @type {KeyboardEvent} */ event) => keys.onKeyUp(event),
    },
    h(
      'div',
      { class: 'mend-bar' },
      h(
        'div',
        { class: 'background-picker', role: 'group', 'aria-label': 'Brush' },
        addButton,
        eraseButton,
      ),
      h('label', { class: 'mend-size' }, 'Size', size),
      h('div', { class: 'buttons' }, undoButton, redoButton, beforeButton),
      h(
        'div',
        { class: 'buttons' },
        tool('−', '-', () => viewport.zoomBy(1 / ZOOM_STEP)),
        tool('Fit', '0', viewport.fit),
        tool('+', '+', () => viewport.zoomBy(ZOOM_STEP)),
        h(
          'button',
          { type: 'button', class: 'quiet review-keys', onclick: () => openKeyHelp(KEYS) },
          'Keys',
        ),
      ),
    ),
    stage,
    h(
      'div',
      { class: 'mend-foot' },
      backgroundPicker(layers.node, ['checkerboard', 'white', 'dark']),
      state,
      errorPlace,
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
        saveButton,
      ),
    ),
  );

  function drawCursor() {
    const [x, y] = viewport.toStage(place);
    const diameter = 2 * radius * viewport.zoom();
    cursor.style.width = cursor.style.height = `${diameter}px`;
    cursor.style.transform = `translate(${x - diameter / 2}px, ${y - diameter / 2}px)`;
    cursor.dataset.mode = mode;
  }

  function draw() {
    addButton.setAttribute('aria-pressed', String(mode === 'add'));
    eraseButton.setAttribute('aria-pressed', String(mode === 'erase'));
    beforeButton.setAttribute('aria-pressed', String(isBefore));
    undoButton.disabled = !strokes.canUndo();
    redoButton.disabled = !strokes.canRedo();
    saveButton.disabled = !strokes.canUndo();
    stage.dataset.view = isBefore ? 'before' : 'after';
    size.value = String((100 * Math.log(radius)) / Math.log(maxRadius));
    drawCursor();
  }

  /** @param {'add' | 'erase'} value */
  function setMode(value) {
    mode = value;
    announce(value === 'add' ? 'Adding' : 'Erasing');
    draw();
  }

  /** @param {number} value */
  function setRadius(value) {
    radius = Math.round(Math.max(1, Math.min(maxRadius, value)) * 10) / 10;
    draw();
  }

  /** @param {boolean} value */
  function setBefore(value) {
    isBefore = value;
    draw();
  }

  function show() {
    isWarned = false;
    preview.show(strokes.all());
    draw();
  }

  function undo() {
    strokes.undo();
    show();
  }

  function redo() {
    strokes.redo();
    show();
  }

  const brush = {
    /** @param {Point} point @param {boolean} isEraser */
    begin(point, isEraser) {
      if (strokes.isFull()) {
        return fill(
          errorPlace,
          h(
            'p',
            { class: 'error-box', role: 'alert' },
            'No more strokes at once: save, and mend again.',
          ),
        );
      }
      isBefore = false;
      drawing = { mode: isEraser ? 'erase' : mode, radius, points: [point] };
      layers.paint(drawing);
      draw();
    },
    /** @param {Point} point */
    extend(point) {
      if (!drawing) return;
      drawing.points.push(point);
      layers.paint(drawing, drawing.points.length - 1);
    },
    end() {
      if (!drawing) return;
      const stroke = { ...drawing, points: simplify(drawing.points, Math.max(0.5, radius / 16)) };
      drawing = undefined;
      strokes.add(stroke);
      show();
    },
    drop() {
      drawing = undefined;
      preview.show(strokes.all());
    },
    /** @param {number} x @param {number} y */
    hover(x, y) {
      keys.noteMove();
      place = viewport.toPicture(x, y);
      drawCursor();
    },
  };

  /** Paints a dot where the brush is. */
  function dab() {
    const [x, y] = place;
    brush.begin([Math.round(x * 10) / 10, Math.round(y * 10) / 10], false);
    brush.end();
  }

  /** @param {number} dx @param {number} dy */
  function movePlace(dx, dy) {
    const step = Math.max(1, radius / 2);
    const [x, y] = place;
    place = [
      Math.max(0, Math.min(before.width, x + dx * step)),
      Math.max(0, Math.min(before.height, y + dy * step)),
    ];
    drawCursor();
  }

  /** Asks once more, if the service has not applied the strokes. */
  function again() {
    preview.show(strokes.all());
    return preview.result();
  }

  async function submit() {
    if (saveButton.disabled) return;
    saveButton.disabled = true;
    state.textContent = 'Saving …';
    const result = (await preview.result()) ?? (await again());
    try {
      if (result) {
        await save({ strokes: strokes.all(), cutOut: result });
        return dialog.close();
      }
    } catch (error) {
      fill(errorPlace, errorBox(error));
    }
    state.textContent = '';
    draw();
  }

  /** Strokes are not lost by one press of a key. @param {Event} event */
  function cancel(event) {
    if (!strokes.canUndo() || isWarned) return;
    event.preventDefault();
    isWarned = true;
    state.textContent = 'Press Esc once more to leave without saving.';
  }

  function close() {
    preview.stop();
    for (const bitmap of [photoBitmap, before]) bitmap.close();
    dialog.remove();
  }

  /** @type {Readonly<Record<string, () => void>>} */
  const anywhere = {
    a: () => setMode('add'),
    e: () => setMode('erase'),
    x: () => setMode(mode === 'add' ? 'erase' : 'add'),
    u: undo,
    b: () => setBefore(!isBefore),
    '[': () => setRadius(radius / SIZE_STEP),
    ']': () => setRadius(radius * SIZE_STEP),
    '+': () => viewport.zoomBy(ZOOM_STEP),
    '=': () => viewport.zoomBy(ZOOM_STEP),
    '-': () => viewport.zoomBy(1 / ZOOM_STEP),
    0: viewport.fit,
    '?': () => openKeyHelp(KEYS),
  };
  /** @type {Readonly<Record<string, () => void>>} only on the picture: buttons and sliders have their own */
  const onStage = {
    ArrowLeft: () => movePlace(-1, 0),
    ArrowRight: () => movePlace(1, 0),
    ArrowUp: () => movePlace(0, -1),
    ArrowDown: () => movePlace(0, 1),
    Enter: submit,
  };

  const keys = readKeys(stage, { anywhere, onStage, undo, redo, paint: dab });

  stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const isUp = event.deltaY < 0;
      if (!event.ctrlKey) return setRadius(radius * (isUp ? SIZE_STEP : 1 / SIZE_STEP));
      const { left, top } = stage.getBoundingClientRect();
      const [x, y] = [event.clientX - left, event.clientY - top];
      viewport.zoomAt(isUp ? ZOOM_STEP : 1 / ZOOM_STEP, x, y);
    },
    { passive: false },
  );
  document.body.append(dialog);
  dialog.showModal();
  readPointers(stage, viewport, brush, keys.isSpaceDown);
  new ResizeObserver(viewport.fit).observe(stage);
  viewport.fit();
  draw();
  stage.focus();
}
