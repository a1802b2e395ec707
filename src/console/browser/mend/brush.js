import { ApiError } from '../api.js';
import { openKeyHelp } from '../review/help.js';
import { say } from '../texts.js';
import { createDialog } from './dialog.js';
import { KEYS, readKeys } from './keys.js';
import { createLayers } from './layers.js';
import { readPointers } from './pointers.js';
import { createPreview } from './preview.js';
import { createRefiner } from './refine.js';
import { createStrokes } from './strokes.js';
import { createTool } from './tool.js';
import { createViewport } from './viewport.js';

/**
 * @typedef {import('./strokes.js').Stroke} Stroke
 * @typedef {import('./tool.js').Point} Point
 * @typedef {{strokes: readonly Stroke[], cutOut: Blob}} Mended the cut-out has the size of the photo
 */

const ZOOM_STEP = 1.25;

const STATES = {
  waiting: say('mend.waiting'),
  exact: '',
  failed: say('mend.failed'),
};

/** @param {Blob} photo @param {Blob} cutOut @throws {ApiError} if they have different sizes */
async function readPictures(photo, cutOut) {
  const [picture, before] = await Promise.all([
    createImageBitmap(photo),
    createImageBitmap(cutOut),
  ]);
  if (picture.width === before.width && picture.height === before.height)
    return { picture, before };
  throw new ApiError({
    type: 'sizes-differ',
    detail: `${picture.width} × ${picture.height}, ${before.width} × ${before.height}`,
  });
}

/**
 * Opens a cut-out to mend it with strokes of a brush.
 * @param {object} request
 * @param {string} request.name
 * @param {Blob} request.photo
 * @param {Blob} request.cutOut of the size of the upright photo
 * @param {string | undefined} [request.note] said at first
 * @param {(result: Mended) => Promise<void>} request.save
 * @throws {ApiError} if the pictures have different sizes; also if they cannot be shown
 */
export async function openBrush({ name, photo, cutOut, note = '', save }) {
  const { picture, before } = await readPictures(photo, cutOut);
  const strokes = createStrokes();
  const layers = createLayers(picture, before);
  let isBefore = false;
  let isWarned = false;

  const tool = createTool(layers, {
    change: draw,
    move: drawCursor,
    stroke(stroke) {
      strokes.add(stroke);
      show();
    },
  });
  const actions = {
    undo() {
      strokes.undo();
      show();
    },
    redo() {
      strokes.redo();
      show();
    },
    compare() {
      isBefore = !isBefore;
      draw();
    },
    zoomIn: () => viewport.zoomBy(ZOOM_STEP),
    zoomOut: () => viewport.zoomBy(1 / ZOOM_STEP),
    fit: () => viewport.fit(),
    help: () => openKeyHelp(KEYS),
    submit,
  };
  const dialog = createDialog(name, layers, tool, actions, {
    onclose: close,
    oncancel: cancel,
    onkeydown: (/** @type {KeyboardEvent} */ event) => keys.onKeyDown(event),
    onkeyup: (/** @type {KeyboardEvent} */ event) => keys.onKeyUp(event),
  });
  const { stage } = dialog;
  const viewport = createViewport(stage, layers.node, layers, drawCursor);
  const preview = createPreview({
    layers,
    cutOut: before,
    refine: createRefiner(photo, cutOut, before),
    onState(state, error) {
      dialog.say(STATES[state]);
      stage.dataset.state = state;
      dialog.showError(error);
    },
  });

  function drawCursor() {
    dialog.drawCursor(viewport.toStage(tool.place()), tool.radius() * viewport.zoom());
  }

  function draw() {
    dialog.draw({ canUndo: strokes.canUndo(), canRedo: strokes.canRedo(), isBefore });
    drawCursor();
  }

  function show() {
    isWarned = false;
    preview.show(strokes.all());
    draw();
  }

  const brush = {
    ...tool,
    /** @param {Point} point @param {boolean} isEraser */
    begin(point, isEraser) {
      if (strokes.isFull()) return dialog.warn(say('mend.full'));
      isBefore = false;
      tool.begin(point, isEraser);
      draw();
    },
    drop() {
      tool.drop();
      preview.show(strokes.all());
    },
    /** @param {number} x @param {number} y */
    hover(x, y) {
      keys.noteMove();
      tool.moveTo(viewport.toPicture(x, y));
    },
  };

  /** Paints a dot where the brush is. */
  function dab() {
    const [x, y] = tool.place();
    brush.begin([Math.round(x * 10) / 10, Math.round(y * 10) / 10], false);
    brush.end();
  }

  /** Asks once more, if the service has not applied the strokes. */
  function again() {
    preview.show(strokes.all());
    return preview.result();
  }

  async function submit() {
    if (dialog.save.disabled) return;
    dialog.save.disabled = true;
    dialog.say(say('mend.saving'));
    const result = (await preview.result()) ?? (await again());
    try {
      if (result) {
        await save({ strokes: strokes.all(), cutOut: result });
        return dialog.node.close();
      }
    } catch (error) {
      dialog.showError(error);
    }
    dialog.say('');
    draw();
  }

  /** Strokes are not lost by one press of a key. @param {Event} event */
  function cancel(event) {
    if (!strokes.canUndo() || isWarned) return;
    event.preventDefault();
    isWarned = true;
    dialog.say(say('mend.leave'));
  }

  function close() {
    preview.stop();
    for (const bitmap of [picture, before]) bitmap.close();
    dialog.node.remove();
  }

  /** @param {WheelEvent} event */
  function onWheel(event) {
    event.preventDefault();
    const isUp = event.deltaY < 0;
    if (!event.ctrlKey) return isUp ? tool.grow() : tool.shrink();
    const { left, top } = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    viewport.zoomAt(isUp ? ZOOM_STEP : 1 / ZOOM_STEP, x, y);
  }

  const keys = readKeys(stage, {
    anywhere: {
      a: () => tool.setMode('add'),
      e: () => tool.setMode('erase'),
      x: tool.toggle,
      u: actions.undo,
      b: actions.compare,
      '[': tool.shrink,
      ']': tool.grow,
      '+': actions.zoomIn,
      '=': actions.zoomIn,
      '-': actions.zoomOut,
      0: actions.fit,
      '?': actions.help,
    },
    onStage: {
      ArrowLeft: () => tool.step(-1, 0),
      ArrowRight: () => tool.step(1, 0),
      ArrowUp: () => tool.step(0, -1),
      ArrowDown: () => tool.step(0, 1),
      Enter: submit,
    },
    undo: actions.undo,
    redo: actions.redo,
    paint: dab,
  });

  stage.addEventListener('wheel', onWheel, { passive: false });
  document.body.append(dialog.node);
  dialog.node.showModal();
  readPointers(stage, viewport, brush, keys.isSpaceDown);
  new ResizeObserver(viewport.fit).observe(stage);
  viewport.fit();
  draw();
  dialog.say(note);
  stage.focus();
}
