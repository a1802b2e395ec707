import { z } from 'zod';
import type { Size } from '../imaging/picture.ts';
import { reachBox, STROKE_MODES } from '../imaging/strokes/cells.ts';
import { fieldProblem, type Problem } from '../platform/problem.ts';

/** What one request may hold: it bounds the time of reading and of applying them. */
export const STROKE_LIMITS = {
  strokes: 50,
  /** Of all strokes together. */
  points: 5000,
  /** Characters of the JSON. */
  chars: 256 * 1024,
  minRadius: 0.5,
  maxRadius: 2000,
  /** The parts of the picture that the strokes may change, together, in pictures. */
  pictures: 8,
} as const;

/** A stroke as it is sent, and as it is queued. */
export const Stroke = z
  .strictObject({
    mode: z.enum(STROKE_MODES),
    radius: z.number().min(STROKE_LIMITS.minRadius).max(STROKE_LIMITS.maxRadius),
    points: z
      .array(z.tuple([z.number(), z.number()]))
      .min(1)
      .meta({ description: '`[x, y]` of the upright image' }),
  })
  .meta({ id: 'Stroke' });
export type Stroke = z.infer<typeof Stroke>;

export const Strokes = z.array(Stroke).min(1).max(STROKE_LIMITS.strokes);

const tooMany = (what: string): Problem =>
  fieldProblem(
    'payload-too-large',
    '/strokes',
    `must have at most ${what} together`,
    `The strokes have more than ${what} together; send fewer at once, or fewer points to each`,
  );

/** Rejects strokes before they are validated if there are too many points. @throws Problem payload-too-large */
export function checkPointCount(strokes: unknown): void {
  if (!Array.isArray(strokes)) return;
  const count = strokes.reduce((sum: number, stroke: Partial<Stroke> | null) => {
    const points: unknown = stroke?.points;
    return sum + (Array.isArray(points) ? points.length : 0);
  }, 0);
  if (count > STROKE_LIMITS.points) throw tooMany(`${STROKE_LIMITS.points} points`);
}

/** Returns a pointer to the first point outside a picture, as its path; undefined if all are inside. */
function findOutside(strokes: readonly Stroke[], { width, height }: Size): string | undefined {
  for (const [s, { points }] of strokes.entries())
    for (const [p, [x, y]] of points.entries())
      if (x < 0 || y < 0 || x > width || y > height) return `/strokes/${s}/points/${p}`;
  return undefined;
}

/**
 * Checks that strokes lie in a picture, and that applying them takes time in proportion to it.
 * @throws Problem invalid-request, payload-too-large
 */
export function checkStrokes(strokes: readonly Stroke[], size: Size): void {
  const pointer = findOutside(strokes, size);
  if (pointer) {
    const detail = `The picture is ${size.width} x ${size.height} pixels when upright; ${pointer} lies outside`;
    throw fieldProblem('invalid-request', pointer, 'lies outside the picture', detail);
  }
  const reached = strokes.reduce((sum, stroke) => {
    const { width, height } = reachBox(stroke, size);
    return sum + width * height;
  }, 0);
  if (reached <= STROKE_LIMITS.pictures * size.width * size.height) return;
  throw fieldProblem(
    'payload-too-large',
    '/strokes',
    `reach over more than ${STROKE_LIMITS.pictures} times the picture`,
    `Together the strokes reach over more than ${STROKE_LIMITS.pictures} times the picture; send fewer or smaller ones at once`,
  );
}
