import { type Evidence, measureEvidence, raiseConfidence } from '../../src/imaging/evidence.ts';
import { correctByGround } from '../../src/imaging/ground/correct.ts';
import { type Levels, toMatte, withOpacity } from '../../src/imaging/matte.ts';
import {
  cropMatte,
  cropPixels,
  evenMatte,
  type MattedImage,
  paste,
  type Size,
} from '../../src/imaging/picture.ts';
import { correctAlpha, recoverForeground } from '../../src/imaging/soft-pixels.ts';
import { parseRegion, regionOf } from '../../src/output/geometry.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { DecodedImage } from './codec.ts';
import { type Refinement, refineEdges } from './edges.ts';
import { type SecondPassCriteria, segment } from './segment.ts';
import type { Session } from './session.ts';

/** Lower levels: `min` up to an enlargement of `from` times, then rising with it to `max`. */
const LOW_LEVEL = { min: 0.03, max: 0.3, from: 1.5, perEnlargement: 0.2 };
/** For edges that were refined since; they need less hardening. */
export const REFINED_LOW_LEVEL = { min: 0.04, max: 0.25, from: 1.4, perEnlargement: 0.25 };

/** Returns the length of a map's cell, pixels of the region that the map covers. */
export const cellOf = (map: Size, region: Size): number =>
  Math.max(region.width / map.width, region.height / map.height);

/**
 * Returns the levels for a map that covers a region of an image. An edge is as soft as a cell of the map is wide:
 * the more it is enlarged, the more it must be hardened. See docs/adr/0005-levels-and-foreground.md.
 */
export function levelsFor(map: Size, region: Size, level = LOW_LEVEL): Levels {
  const { min, max, from, perEnlargement } = level;
  const low = Math.min(max, Math.max(min, perEnlargement * (cellOf(map, region) - from)));
  return [low, 1 - low];
}

/** The part of a quality preset that concerns the search for the subject. */
export interface SubjectPreset {
  /** Selects the images that get a second pass; none if absent. */
  secondPass?: SecondPassCriteria;
  /** How edges are refined by the colours of the photo; they are not if absent. */
  edges?: Refinement;
}

/** An image with the matte of its subject, and its colours free of the background's. */
interface Subject extends MattedImage {
  evidence: Evidence;
  inferenceMillis: number;
}

/** Finds the subject in the whole image. @param decoded its colours are overwritten */
async function findInImage(
  session: Session,
  decoded: DecodedImage,
  { secondPass, edges }: SubjectPreset,
): Promise<Subject> {
  const { pixels, opacity } = decoded;
  const startedAt = performance.now();
  const segmentation = await segment(session, pixels, opacity, secondPass);
  const inferenceMillis = performance.now() - startedAt;
  const { probabilities, seen, region } = segmentation;
  const matte = toMatte(probabilities, pixels, levelsFor(probabilities, region), region);
  const scene = { pixels, matte, opacity };
  correctAlpha(scene);
  const ground = opacity ? undefined : correctByGround(scene);
  const levels = levelsFor(probabilities, region, REFINED_LOW_LEVEL);
  if (edges) refineEdges(pixels, matte, edges, levels, cellOf(probabilities, region));
  ground?.drawPaleOutline(scene);
  const map = ground?.correct(probabilities, region, matte) ?? probabilities;
  const confidence = raiseConfidence(segmentation.confidence, probabilities, map);
  const view = { map, pixels: seen, region, image: pixels };
  const evidence = measureEvidence(view, confidence, ground?.measure(matte));
  recoverForeground(scene);
  const visible = opacity ? withOpacity(matte, opacity) : matte;
  return { pixels, matte: visible, evidence, inferenceMillis };
}

/**
 * Finds the subject of an image, or of a region of it; then everything outside the region is transparent.
 * @param decoded its colours are overwritten
 * @param roi see `parseRegion`
 * @throws Problem invalid-request if the region and the image do not overlap
 */
export async function findSubject(
  session: Session,
  decoded: DecodedImage,
  preset: SubjectPreset,
  roi: string | undefined,
): Promise<Subject> {
  const corners = roi === undefined ? undefined : parseRegion(roi);
  if (!corners) return findInImage(session, decoded, preset);
  const { pixels, opacity } = decoded;
  const { width, height } = pixels;
  const region = regionOf(corners, pixels);
  if (!region) {
    throw new Problem(
      'invalid-request',
      `No pixel of the roi is in the image, which is ${width} x ${height} pixels when upright`,
      { errors: [{ pointer: '/roi', detail: 'lies beyond the image' }] },
    );
  }
  const cropped = {
    ...decoded,
    pixels: cropPixels(pixels, region),
    opacity: opacity && cropMatte({ ...pixels, data: opacity }, region).data,
  };
  const subject = await findInImage(session, cropped, preset);
  const whole = { pixels, matte: evenMatte(pixels, 0) };
  paste(subject, region, whole);
  return { ...subject, ...whole };
}
