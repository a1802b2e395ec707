import { partOfPixels, partOfPlane, paste } from '../../src/imaging/crop.ts';
import type { Pair } from '../../src/imaging/downscale.ts';
import { refineEdges } from '../../src/imaging/edges.ts';
import { recoverForeground } from '../../src/imaging/foreground.ts';
import { regionOf } from '../../src/imaging/layout.ts';
import { type Levels, matteOf, withOpacity } from '../../src/imaging/matte.ts';
import { readRegion } from '../../src/output/geometry.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { Decoded } from './codec.ts';
import { type Doubt, segment } from './segment.ts';
import type { Session } from './session.ts';

/** Those with the least edge error of all measured; see docs/adr/0005-levels-and-foreground.md. */
export const LEVELS: Levels = [0.03, 0.97];

/** What care is taken to find a subject. */
export interface Care {
  /** Which pictures the network looks at again; none where absent. */
  doubt?: Doubt;
  /** Whether edges are refined by the photo. */
  refines: boolean;
}

/** A picture with the matte of its subject, and its colours freed of the ground. */
export interface Subject extends Pair {
  /** How sure the network is of its matte, 0..1; see `certaintyOf`. */
  confidence: number;
  inferenceMillis: number;
}

/**
 * Finds the subject of a picture.
 * @param decoded its colours are written to
 */
async function findIn(session: Session, decoded: Decoded, care: Care): Promise<Subject> {
  const { pixels, opacity } = decoded;
  const startedAt = performance.now();
  const { seen, part, confidence } = await segment(session, pixels, opacity, care.doubt);
  const inferenceMillis = performance.now() - startedAt;
  const first = matteOf(seen, pixels, LEVELS, part);
  const found = care.refines ? refineEdges(pixels, first) : first;
  recoverForeground(pixels, found, opacity);
  const matte = opacity ? withOpacity(found, opacity) : found;
  return { pixels, matte, confidence, inferenceMillis };
}

/**
 * The same where the subject is sought in a region alone: nothing is seen of the picture beyond it.
 * @param roi see `readRegion`
 * @throws Problem invalid-request where nothing of the region is in the picture
 */
export async function findSubject(
  session: Session,
  whole: Decoded,
  care: Care,
  roi: string | undefined,
): Promise<Subject> {
  const corners = roi === undefined ? undefined : readRegion(roi);
  if (!corners) return findIn(session, whole, care);
  const { pixels, opacity } = whole;
  const { width, height } = pixels;
  const region = regionOf(corners, pixels);
  if (!region) {
    throw new Problem(
      'invalid-request',
      `No pixel of the roi is in the image, which is ${width} x ${height} pixels when upright`,
      { errors: [{ pointer: '/roi', detail: 'lies beyond the image' }] },
    );
  }
  const part = {
    pixels: partOfPixels(pixels, region),
    opacity: opacity && partOfPlane(opacity, width, region, 1),
  };
  const found = await findIn(session, part, care);
  const matte = { data: new Uint8Array(width * height), width, height };
  const all = { pixels, matte };
  paste(found, region, all);
  return { ...found, ...all };
}
