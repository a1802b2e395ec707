/**
 * A stroke of the brush, as `POST /bg/v1/refinements` takes it.
 * @typedef {{mode: 'add' | 'erase', radius: number, points: [number, number][]}} Stroke
 */

/** What one request may hold. */
export const MAX_STROKES = 50;
const MAX_POINTS = 5000;

/** @param {readonly [number, number]} p @param {readonly [number, number]} a @param {readonly [number, number]} b */
function distanceToSegment([px, py], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy;
  const t = squared > 0 ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / squared)) : 0;
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
}

/**
 * Leaves out points that are nearly on the path between others (Ramer, Douglas, Peucker).
 * @param {readonly [number, number][]} points
 * @param {number} tolerance pixels
 */
export function simplify(points, tolerance) {
  const isRetained = new Uint8Array(points.length);
  isRetained.fill(1, 0, 1).fill(1, -1);
  /** @type {[number, number][]} */
  const ranges = [[0, points.length - 1]];
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const [first, last] = range;
    const [a, b] = [points[first], points[last]];
    let [farthest, max] = [-1, tolerance];
    for (let i = first + 1; i < last; i++) {
      const point = points[i];
      const distance = point && a && b ? distanceToSegment(point, a, b) : 0;
      if (distance > max) [farthest, max] = [i, distance];
    }
    if (farthest < 0) continue;
    isRetained[farthest] = 1;
    ranges.push([first, farthest], [farthest, last]);
  }
  return points.filter((_, i) => isRetained[i] === 1);
}

/** The strokes over one picture, with undo and redo. */
export function createStrokes() {
  /** @type {Stroke[]} */
  let strokes = [];
  /** @type {Stroke[]} */
  let undone = [];
  return {
    all: () => strokes,
    canUndo: () => strokes.length > 0,
    canRedo: () => undone.length > 0,
    /** Whether a request has no room for one more. */
    isFull: () =>
      strokes.length >= MAX_STROKES ||
      strokes.reduce((sum, { points }) => sum + points.length, 0) >= MAX_POINTS,
    /** @param {Stroke} stroke */
    add(stroke) {
      strokes = [...strokes, stroke];
      undone = [];
    },
    undo() {
      const last = strokes.at(-1);
      if (!last) return;
      strokes = strokes.slice(0, -1);
      undone = [...undone, last];
    },
    redo() {
      const next = undone.at(-1);
      if (!next) return;
      undone = undone.slice(0, -1);
      strokes = [...strokes, next];
    },
  };
}
