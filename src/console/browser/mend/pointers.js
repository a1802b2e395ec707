/** @typedef {import('./viewport.js').Viewport} Viewport @typedef {[number, number]} Point */

/** Bits of `PointerEvent.buttons`. */
const ERASER = 32;

/**
 * Reads mouse, pen and touch on the stage: one pointer paints, the middle or right button, the space key or two fingers
 * move the picture, and two fingers zoom.
 * @param {HTMLElement} stage
 * @param {Viewport} viewport
 * @param {object} brush
 * @param {(point: Point, isEraser: boolean) => void} brush.begin
 * @param {(point: Point) => void} brush.extend
 * @param {() => void} brush.end
 * @param {() => void} brush.drop
 * @param {(x: number, y: number) => void} brush.hover pixels of the stage
 * @param {() => boolean} isPanning whether the space key is down
 */
export function readPointers(stage, viewport, brush, isPanning) {
  /** @type {Map<number, Point>} */
  const pointers = new Map();
  /** @type {'none' | 'paint' | 'pan'} */
  let action = 'none';

  /** @param {MouseEvent} event @returns {Point} */
  const placeOf = ({ clientX, clientY }) => {
    const { left, top } = stage.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };

  /** Center and spread of the fingers. */
  function fingers() {
    const [a, b] = [...pointers.values()];
    if (!a || !b) return undefined;
    return {
      x: (a[0] + b[0]) / 2,
      y: (a[1] + b[1]) / 2,
      spread: Math.hypot(a[0] - b[0], a[1] - b[1]),
    };
  }

  stage.addEventListener('pointerdown', (event) => {
    stage.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, placeOf(event));
    if (pointers.size > 1) {
      if (action === 'paint') brush.drop();
      action = 'pan';
    } else if (event.button === 1 || event.button === 2 || isPanning()) action = 'pan';
    else {
      action = 'paint';
      const [x, y] = placeOf(event);
      brush.begin(viewport.toPicture(x, y), (event.buttons & ERASER) > 0);
    }
    event.preventDefault();
  });
  stage.addEventListener('pointermove', (event) => {
    const [x, y] = placeOf(event);
    brush.hover(x, y);
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const before = fingers();
    pointers.set(event.pointerId, [x, y]);
    if (action === 'paint') {
      const events = event.getCoalescedEvents?.() ?? [];
      for (const one of events.length > 0 ? events : [event]) {
        brush.extend(viewport.toPicture(...placeOf(one)));
      }
    } else if (action === 'pan') {
      const now = fingers();
      if (before && now) {
        viewport.pan(now.x - before.x, now.y - before.y);
        if (before.spread > 0) viewport.zoomAt(now.spread / before.spread, now.x, now.y);
      } else viewport.pan(x - last[0], y - last[1]);
    }
  });
  for (const name of ['pointerup', 'pointercancel']) {
    stage.addEventListener(name, (event) => {
      pointers.delete(/** @type {PointerEvent} */ (event).pointerId);
      if (pointers.size > 0) return;
      if (action === 'paint') name === 'pointerup' ? brush.end() : brush.drop();
      action = 'none';
    });
  }
  stage.addEventListener('contextmenu', (event) => event.preventDefault());
}
