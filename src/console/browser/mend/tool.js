import { announce } from '../element.js';
import { say } from '../texts.js';
import { simplify } from './strokes.js';

/**
 * @typedef {import('./strokes.js').Stroke} Stroke
 * @typedef {[number, number]} Point
 */

/** Radius at first, and at most, of the longer side of the picture. */
const RADIUS = { first: 0.02, max: 0.25 };
const SIZE_STEP = 1.12;

/** @param {number} value @param {number} max */
const within = (value, max) => Math.max(0, Math.min(max, value));

/**
 * The brush: whether it adds or erases, its size and place, and the stroke that it is painting.
 * @param {ReturnType<typeof import('./layers.js').createLayers>} layers
 * @param {object} on
 * @param {() => void} on.change of mode or size
 * @param {() => void} on.move
 * @param {(stroke: Stroke) => void} on.stroke it is painted
 */
export function createTool(layers, on) {
  const longest = Math.max(layers.width, layers.height);
  const maxRadius = Math.max(2, RADIUS.max * longest);
  /** @type {'add' | 'erase'} */
  let mode = 'add';
  let radius = Math.max(1, RADIUS.first * longest);
  /** @type {Point} */
  let place = [layers.width / 2, layers.height / 2];
  /** @type {Stroke | undefined} */
  let drawing;

  /** @param {'add' | 'erase'} value */
  function setMode(value) {
    mode = value;
    announce(value === 'add' ? say('mend.adding') : say('mend.erasing'));
    on.change();
  }

  /** @param {number} value */
  function setRadius(value) {
    radius = Math.round(Math.max(1, Math.min(maxRadius, value)) * 10) / 10;
    on.change();
  }

  return {
    mode: () => mode,
    radius: () => radius,
    place: () => place,
    setMode,
    toggle: () => setMode(mode === 'add' ? 'erase' : 'add'),
    grow: () => setRadius(radius * SIZE_STEP),
    shrink: () => setRadius(radius / SIZE_STEP),
    /** The size between the least and the most, 0 to 100. */
    size: () => (100 * Math.log(radius)) / Math.log(maxRadius),
    /** @param {number} size */
    setSize: (size) => setRadius(maxRadius ** (size / 100)),

    /** @param {Point} point */
    moveTo(point) {
      place = point;
      on.move();
    },
    /** Moves by half of the brush. @param {number} dx @param {number} dy */
    step(dx, dy) {
      const length = Math.max(1, radius / 2);
      const [x, y] = place;
      place = [within(x + dx * length, layers.width), within(y + dy * length, layers.height)];
      on.move();
    },

    /** @param {Point} point @param {boolean} isEraser */
    begin(point, isEraser) {
      drawing = { mode: isEraser ? 'erase' : mode, radius, points: [point] };
      layers.paint(drawing);
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
      on.stroke(stroke);
    },
    drop() {
      drawing = undefined;
    },
  };
}

/** @typedef {ReturnType<typeof createTool>} Tool */
