import { certaintyOf } from '../../src/image/certainty.ts';
import { refineEdges } from '../../src/image/edges.ts';
import { recoverForeground } from '../../src/image/foreground.ts';
import { dropSpecks } from '../../src/image/islands.ts';
import { type Levels, matteOf, withOpacity } from '../../src/image/matte.ts';
import { type Quality, USUAL_QUALITY } from '../../src/jobs/quality.ts';
import { decode } from './codec.ts';
import { encodePng } from './png.ts';
import { segment } from './segment.ts';
import type { Session } from './session.ts';

/** Those with the least edge error of all measured; see docs/adr/0005-levels-and-foreground.md. */
export const LEVELS: Levels = [0.03, 0.97];

/** What care is taken; see docs/adr/0019-quality.md. */
const CARE = {
  fast: { refines: false, effort: 'least' },
  balanced: { refines: false, effort: 'usual' },
  high: { refines: true, effort: 'usual' },
} as const satisfies Record<Quality, { refines: boolean; effort: 'usual' | 'least' }>;

/** Where the time of one cut-out went. */
export interface Timings {
  decodeMillis: number;
  inferenceMillis: number;
  /** Matte at full size and foreground colours. */
  matteMillis: number;
  encodeMillis: number;
  totalMillis: number;
}

/** A transparent PNG as large as the upright picture. */
export interface CutOut {
  png: Uint8Array;
  width: number;
  height: number;
  /** How sure the network is of its matte, 0..1; see `certaintyOf`. */
  confidence: number;
  timings: Timings;
}

/** Cuts the subject out of a picture. Throws `Undecodable`. */
export async function cutOut(
  session: Session,
  image: Uint8Array,
  maxPixels: number,
  quality: Quality = USUAL_QUALITY,
): Promise<CutOut> {
  const { refines, effort } = CARE[quality];
  const startedAt = performance.now();
  const { pixels, opacity } = await decode(image, maxPixels);
  const decodedAt = performance.now();
  const seen = await segment(session, pixels, opacity);
  const segmentedAt = performance.now();
  const confidence = certaintyOf(seen);
  dropSpecks(seen);
  const { width, height } = pixels;
  const first = matteOf(seen, width, height, LEVELS);
  const found = refines ? refineEdges(pixels, first) : first;
  recoverForeground(pixels, found, opacity);
  const matte = opacity ? withOpacity(found, opacity) : found;
  const mattedAt = performance.now();
  const png = await encodePng(pixels, matte, effort);
  const endedAt = performance.now();
  return {
    png,
    width,
    height,
    confidence,
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis: segmentedAt - decodedAt,
      matteMillis: mattedAt - segmentedAt,
      encodeMillis: endedAt - mattedAt,
      totalMillis: endedAt - startedAt,
    },
  };
}
