import { type CutOutOptions, DEFAULT_QUALITY, type Quality } from '../../src/output/quality.ts';
import { decode } from './codec.ts';
import { type Delivery, deliver } from './deliver.ts';
import type { Effort } from './png.ts';
import type { Session } from './session.ts';
import { type Care, findSubject } from './subject.ts';

/** What care is taken; see docs/adr/0019-quality.md. */
const CARE = {
  fast: { refines: false, effort: 'least' },
  balanced: { doubt: { share: 0.6, confidence: 0.998 }, refines: false, effort: 'usual' },
  high: { doubt: { share: 0.6, confidence: 1 }, refines: true, effort: 'usual' },
} as const satisfies Record<Quality, Care & { effort: Effort }>;

/** Where the time of one cut-out went. */
export interface Timings {
  decodeMillis: number;
  inferenceMillis: number;
  /** Matte at full size and foreground colours. */
  matteMillis: number;
  /** Composing included. */
  encodeMillis: number;
  totalMillis: number;
}

/** A cut-out as a file; a transparent PNG as large as the upright picture unless options say otherwise. */
export interface CutOut extends Delivery {
  /** How sure the network is of its matte, 0..1; see `certaintyOf`. */
  confidence: number;
  timings: Timings;
}

/** How a picture is to be cut out. */
export interface CutOutOrder {
  options?: CutOutOptions | undefined;
  /** What goes behind the subject: a JPEG, PNG or WebP. */
  background?: Uint8Array | undefined;
}

/**
 * Cuts the subject out of a picture.
 * @throws Undecodable; Problem where options cannot be met
 */
export async function cutOut(
  session: Session,
  image: Uint8Array,
  maxPixels: number,
  { options = {}, background }: CutOutOrder = {},
): Promise<CutOut> {
  const { quality = DEFAULT_QUALITY, roi } = options;
  const { effort, ...care } = CARE[quality];
  const startedAt = performance.now();
  const decoded = await decode(image, maxPixels);
  const decodedAt = performance.now();
  const { confidence, inferenceMillis, ...subject } = await findSubject(
    session,
    decoded,
    care,
    roi,
  );
  const foundAt = performance.now();
  const delivery = await deliver(subject, options, background, maxPixels, effort);
  const endedAt = performance.now();
  return {
    ...delivery,
    confidence,
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis,
      matteMillis: foundAt - decodedAt - inferenceMillis,
      encodeMillis: endedAt - foundAt,
      totalMillis: endedAt - startedAt,
    },
  };
}
