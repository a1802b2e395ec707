import { h } from '../element.js';

/** @typedef {import('./strokes.js').Stroke} Stroke */

/** Longer side of what is painted on in the page; the service works on all pixels. */
const MAX_PIXELS = 2048;

/** @param {number} width @param {number} height @param {string} className */
function createLayer(width, height, className) {
  const canvas = h('canvas', { class: className, width, height, 'aria-hidden': true });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser has no 2D canvas');
  return { canvas, context };
}

/**
 * The picture that is mended, in layers: the photo, faint; the cut-out before; and the cut-out as it becomes, with
 * strokes painted on it at once.
 * @param {ImageBitmap} photo
 * @param {ImageBitmap} cutOut of the same size
 */
export function createLayers(photo, cutOut) {
  const scale = Math.min(1, MAX_PIXELS / Math.max(photo.width, photo.height));
  const [width, height] = [Math.round(photo.width * scale), Math.round(photo.height * scale)];
  const ghost = createLayer(width, height, 'mend-photo');
  const before = createLayer(width, height, 'mend-before');
  const after = createLayer(width, height, 'mend-after');
  ghost.context.drawImage(photo, 0, 0, width, height);
  before.context.drawImage(cutOut, 0, 0, width, height);
  const fromPhoto = after.context.createPattern(ghost.canvas, 'no-repeat') ?? '#888';

  /** @param {Stroke} stroke @param {number} [from] the point to go on from */
  function paint({ mode, radius, points }, from = 0) {
    const { context } = after;
    const [first, ...rest] = points.slice(Math.max(0, from - 1));
    if (!first) return;
    context.globalCompositeOperation = mode === 'add' ? 'source-over' : 'destination-out';
    context.fillStyle = context.strokeStyle = fromPhoto;
    context.beginPath();
    if (rest.length === 0) {
      context.arc(first[0] * scale, first[1] * scale, radius * scale, 0, 2 * Math.PI);
      return context.fill();
    }
    context.lineWidth = 2 * radius * scale;
    context.lineCap = context.lineJoin = 'round';
    context.moveTo(first[0] * scale, first[1] * scale);
    for (const [x, y] of rest) context.lineTo(x * scale, y * scale);
    context.stroke();
  }

  /** @param {ImageBitmap} base what the service has made last @param {readonly Stroke[]} strokes painted since */
  function draw(base, strokes) {
    const { context } = after;
    context.globalCompositeOperation = 'copy';
    context.drawImage(base, 0, 0, width, height);
    for (const stroke of strokes) paint(stroke);
  }

  draw(cutOut, []);
  return {
    node: h('div.mend-layers.checkerboard', ghost.canvas, before.canvas, after.canvas),
    width: photo.width,
    height: photo.height,
    draw,
    paint,
  };
}
