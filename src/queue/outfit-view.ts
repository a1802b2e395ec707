import { z } from 'zod';
import { Foreground } from '../output/options.ts';
import { CutOutReview } from '../output/review.ts';
import { Region } from '../taxonomy/dictionary/schema.ts';
import { ParseGroup } from '../taxonomy/outfit/parse-groups.ts';
import { Fingerprint, GarmentView } from './garment-view.ts';

/*
 * What a worker sees in the photo of an outfit. It passes through the queue to the gateway, and is stored with jobs and
 * rows; `taxonomy` turns it into terms when a client asks for it.
 */

/** A garment of a photo, before `taxonomy` names it. */
const OutfitGarment = GarmentView.pick({ probabilities: true, colors: true }).extend({
  /** What the parse network takes it for. */
  group: ParseGroup,
  region: Region,
  /** The groups it may be, the likeliest first. */
  alternatives: z.array(z.object({ group: ParseGroup, probability: z.number() })),
  /** Of the upright photo; the size of its cut-out. */
  box: Foreground,
  /** Share of the subject, 0..1. */
  areaShare: z.number(),
  /** 0..1 */
  confidence: z.number(),
  /** Groups of the garments over it, and `frame` if the photo's border cuts it. */
  occludedBy: z.array(z.union([ParseGroup, z.literal('frame')])),
  fingerprint: Fingerprint,
});

/** What the subject of a photo wears. */
export const OutfitView = z.object({
  /** Pixels of the upright photo. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the parse network. */
  model: z.string(),
  /** `id@version` of the classifier. */
  classifier: z.string(),
  /** Whether skin or hair show. */
  person: z.boolean(),
  severalPeople: z.boolean(),
  /** Of the cut-out of the whole subject, 0..1. */
  confidence: z.number(),
  review: CutOutReview,
  /** Of the whole subject. */
  fingerprint: Fingerprint,
  /** The largest first. */
  garments: z.array(OutfitGarment),
});
export type OutfitView = z.infer<typeof OutfitView>;

/** The file of a garment's cut-out, a PNG. */
const GarmentFile = z.object({
  bytes: z.number(),
  /** Hex. */
  sha256: z.string(),
});
export type GarmentFile = z.infer<typeof GarmentFile>;

/** What the subject wears, with the cut-outs that are in object storage; see `garmentKey`. */
export const StoredOutfit = OutfitView.extend({
  /** In the order of the garments. */
  files: z.array(GarmentFile),
});
export type StoredOutfit = z.infer<typeof StoredOutfit>;
