/** The largest zoom: pixels of the page for one of the picture. */
const MAX_ZOOM = 24;

/**
 * Zooms and pans the picture within the stage.
 * @param {HTMLElement} stage
 * @param {HTMLElement} layers
 * @param {{width: number, height: number}} size of the picture, pixels
 * @param {() => void} onChange
 */
export function createViewport(stage, layers, { width, height }, onChange) {
  let [zoom, left, top] = [1, 0, 0];

  function draw() {
    layers.style.width = `${width * zoom}px`;
    layers.style.height = `${height * zoom}px`;
    layers.style.transform = `translate(${left}px, ${top}px)`;
    onChange();
  }

  const fitZoom = () => Math.min(stage.clientWidth / width, stage.clientHeight / height) * 0.96;

  function fit() {
    zoom = fitZoom();
    left = (stage.clientWidth - width * zoom) / 2;
    top = (stage.clientHeight - height * zoom) / 2;
    draw();
  }

  /** @param {number} factor @param {number} x @param {number} y of what stays in place, pixels of the stage */
  function zoomAt(factor, x, y) {
    const next = Math.max(fitZoom() / 2, Math.min(MAX_ZOOM, zoom * factor));
    left = x - ((x - left) * next) / zoom;
    top = y - ((y - top) * next) / zoom;
    zoom = next;
    draw();
  }

  return {
    zoom: () => zoom,
    fit,
    zoomAt,
    /** @param {number} factor */
    zoomBy: (factor) => zoomAt(factor, stage.clientWidth / 2, stage.clientHeight / 2),
    /** @param {number} dx @param {number} dy */
    pan(dx, dy) {
      left += dx;
      top += dy;
      draw();
    },
    /** Returns the place in the picture, pixels, within its edges. @param {number} x @param {number} y of the stage @returns {[number, number]} */
    toPicture: (x, y) => [
      Math.round(Math.max(0, Math.min(width, (x - left) / zoom)) * 10) / 10,
      Math.round(Math.max(0, Math.min(height, (y - top) / zoom)) * 10) / 10,
    ],
    /** @param {readonly [number, number]} point of the picture @returns {[number, number]} */
    toStage: ([x, y]) => [left + x * zoom, top + y * zoom],
  };
}

/** @typedef {ReturnType<typeof createViewport>} Viewport */
