import { pause } from '../api.js';

/** @typedef {import('./strokes.js').Stroke} Stroke */

/** After the last stroke, before the service is asked: strokes that follow at once share a request. */
const PAUSE_MILLIS = 500;

/**
 * Keeps the picture up to date: strokes show at once as they are painted, then as the service has applied them.
 * @param {object} deps
 * @param {ReturnType<typeof import('./layers.js').createLayers>} deps.layers
 * @param {ImageBitmap} deps.cutOut the one before
 * @param {(strokes: readonly Stroke[], signal: AbortSignal) => Promise<Blob>} deps.refine
 * @param {(state: 'waiting' | 'exact' | 'failed', error?: unknown) => void} deps.onState
 */
export function createPreview({ layers, cutOut, refine, onState }) {
  /** @type {{strokes: readonly Stroke[], bitmap: ImageBitmap, blob: Blob | undefined}} */
  let exact = { strokes: [], bitmap: cutOut, blob: undefined };
  /** @type {readonly Stroke[]} */
  let wanted = [];
  let asking = new AbortController();
  let done = Promise.resolve();

  const draw = () => {
    const isPrefix = exact.strokes.every((stroke, i) => wanted[i] === stroke);
    const base = isPrefix ? exact : { strokes: [], bitmap: cutOut };
    layers.draw(base.bitmap, wanted.slice(base.strokes.length));
  };

  /** @param {readonly Stroke[]} strokes @param {AbortSignal} signal */
  async function ask(strokes, signal) {
    try {
      await pause(PAUSE_MILLIS, signal);
      const blob = await refine(strokes, signal);
      const bitmap = await createImageBitmap(blob);
      if (signal.aborted) return;
      exact = { strokes, bitmap, blob };
      draw();
      onState('exact');
    } catch (error) {
      if (!signal.aborted) onState('failed', error);
    }
  }

  return {
    /** @param {readonly Stroke[]} strokes */
    show(strokes) {
      wanted = strokes;
      asking.abort();
      asking = new AbortController();
      draw();
      if (strokes.length === 0) {
        exact = { strokes: [], bitmap: cutOut, blob: undefined };
        return onState('exact');
      }
      onState('waiting');
      done = ask(strokes, asking.signal);
    },
    /** Returns the cut-out with all strokes; undefined if the service has not made it. */
    async result() {
      await done;
      return exact.strokes === wanted ? exact.blob : undefined;
    },
    stop: () => asking.abort(),
  };
}
