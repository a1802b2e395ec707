import { fingerprintOf } from '../../src/imaging/fingerprint.ts';
import type { MattedImage } from '../../src/imaging/picture.ts';
import {
  DEFAULT_QUALITY,
  type PartialSubject,
  type Quality,
} from '../../src/output/option-table.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { reviewOf, withReason, withRules } from '../../src/output/review.ts';
import type { CutOut } from './child-results.ts';
import { type DecodedImage, decode } from './codec.ts';
import type { Refinement } from './edges.ts';
import { findSubject, type SubjectPreset } from './find-subject.ts';
import type { GarmentRegion } from './garments/groups.ts';
import type { Selection } from './garments/select.ts';
import { render } from './render.ts';
import type { Session } from './session.ts';

/** How edges are refined by default: as far as it takes little time. */
export const QUICK_EDGES: Refinement = {
  tolerance: 1e-2,
  maxIterations: 40,
  reweightings: 1,
  limits: { pixels: 2 ** 19, unknowns: 60_000, share: 0.25 },
  minCell: 0.8,
};
const THOROUGH_EDGES: Refinement = {
  tolerance: 1e-3,
  maxIterations: 40,
  reweightings: 2,
  limits: { pixels: 2 ** 20, unknowns: 120_000, share: 1 },
  minCell: 0,
};

/** What is done for a quality. */
export interface QualitySettings extends SubjectPreset {
  /** How thoroughly the edges between garments are solved for; see `refineGarment`. */
  garmentEdges?: Refinement;
}

/** What each quality does; see docs/adr/0019-quality.md. */
export const QUALITY_SETTINGS = {
  fast: {},
  balanced: {
    secondPass: { maxShare: 0.6, maxConfidence: 0.982 },
    edges: QUICK_EDGES,
  },
  high: {
    secondPass: { maxShare: 0.6, maxConfidence: 1 },
    edges: THOROUGH_EDGES,
    garmentEdges: THOROUGH_EDGES,
  },
} as const satisfies Record<Quality, QualitySettings>;

export interface CutOutSettings {
  options?: CutOutOptions | undefined;
  /** The image behind the subject: a JPEG, PNG or WebP. */
  background?: Uint8Array | undefined;
  /** With the subject `garment`: the region to take if the photo shows one of its garments. */
  region?: GarmentRegion | undefined;
  /** Opens the parse network, for the option `subject`. */
  openParser?: (() => Promise<Session>) | undefined;
}

/** Selects a part of the subject. The code for it is loaded with the first one. */
async function selectFrom(
  subject: MattedImage,
  choice: PartialSubject,
  edges: Refinement | undefined,
  { region, openParser }: CutOutSettings,
): Promise<Selection> {
  if (!openParser) throw new Error('A part of the subject needs the parse network');
  const [{ selectPart }, parser] = await Promise.all([
    import('./garments/select.ts'),
    openParser(),
  ]);
  return selectPart(parser, subject, choice, edges, region);
}

/** An image that is transparent somewhere, with its own alpha as the matte. */
async function keepAlpha(
  { pixels, opacity: data, isDamaged }: DecodedImage & { opacity: Uint8Array },
  { options = {}, background }: CutOutSettings,
  maxPixels: number,
): Promise<Omit<CutOut, 'timings'>> {
  const { width, height } = pixels;
  const image = { pixels, matte: { data, width, height } };
  const rendered = await render(image, options, background, maxPixels);
  // Nothing was estimated.
  const review = withReason({ needed: false, reasons: [] }, 'damaged', isDamaged);
  return { ...rendered, confidence: 1, review, alpha: 'kept' };
}

/**
 * Cuts the subject out of an image, or keeps the image's own alpha if the options say so.
 * @throws DecodeError; Problem if the options cannot be met
 */
export async function cutOut(
  session: Session,
  image: Uint8Array,
  maxPixels: number,
  settings: CutOutSettings = {},
): Promise<CutOut> {
  const { options = {}, background } = settings;
  const { quality = DEFAULT_QUALITY, roi, subject: choice } = options;
  const { garmentEdges, ...preset }: QualitySettings = QUALITY_SETTINGS[quality];
  const startedAt = performance.now();
  const decoded = await decode(image, maxPixels);
  const decodedAt = performance.now();
  const { opacity } = decoded;
  if (options.alpha === 'keep' && opacity) {
    const kept = await keepAlpha({ ...decoded, opacity }, settings, maxPixels);
    const endedAt = performance.now();
    return {
      ...kept,
      timings: {
        decodeMillis: decodedAt - startedAt,
        inferenceMillis: 0,
        matteMillis: 0,
        encodeMillis: endedAt - decodedAt,
        totalMillis: endedAt - startedAt,
      },
    };
  }
  const { evidence, inferenceMillis, ...subject } = await findSubject(
    session,
    decoded,
    preset,
    roi,
  );
  const selection = choice && (await selectFrom(subject, choice, garmentEdges, settings));
  const selected = { ...subject, ...(selection && { matte: selection.matte }) };
  const noticed = withReason(reviewOf(evidence), 'damaged', decoded.isDamaged);
  const review = withReason(noticed, 'several-people', selection?.severalPeople);
  const fingerprint = fingerprintOf(selected);
  const foundAt = performance.now();
  const rendered = await render(selected, options, background, maxPixels);
  const endedAt = performance.now();
  return {
    ...rendered,
    confidence: evidence.confidence,
    review: withRules(review, rendered.rules),
    fingerprint,
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis,
      matteMillis: foundAt - decodedAt - inferenceMillis,
      encodeMillis: endedAt - foundAt,
      totalMillis: endedAt - startedAt,
    },
  };
}
