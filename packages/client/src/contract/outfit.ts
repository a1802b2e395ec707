import type { Classification } from './classification.ts';
import type { Region } from './garment-words.ts';
import type { Rectangle } from './removal.ts';

/* The garments of a photo. */

/** What the parse network tells apart. */
export type GarmentGroup =
  | 'top'
  | 'shirt_blouse'
  | 'knit_sweat'
  | 'vest'
  | 'jacket_blazer'
  | 'coat'
  | 'dress_onepiece'
  | 'skirt'
  | 'trousers_jeans'
  | 'leggings_tights'
  | 'shorts'
  | 'shoes'
  | 'boots'
  | 'socks'
  | 'bag'
  | 'hat'
  | 'scarf_tie'
  | 'belt'
  | 'small_things';

/** A group that a garment may be. */
export interface GarmentGroupCandidate {
  group: GarmentGroup;
  /** 0 to 1. */
  confidence: number;
}

/** The cut-out of a garment, a PNG of the size of its box. */
export interface GarmentCutOut {
  /** Its name in the archive of a synchronous response. */
  file?: string;
  /** Path on the service, in jobs and batches; in reports of feeds a link. */
  url?: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  mediaType: 'image/png';
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** One garment of a photo. */
export interface OutfitGarment {
  /** Position in the list, from 0; the largest first. */
  index: number;
  group: GarmentGroup;
  /** The groups it may be, the likeliest first. */
  alternatives: GarmentGroupCandidate[];
  /** Where it is worn. */
  region: Region;
  /** That its pixels are this group or one easily taken for it, 0 to 1. */
  confidence: number;
  /** The smallest box that contains what is visible of it; pixels of the upright photo. */
  box: Rectangle;
  /** Share of the subject, 0 to 1. */
  areaShare: number;
  /** Whether something hides a part of it. */
  occluded: boolean;
  /** What hides it; `frame` is the border of the photo. */
  occludedBy: (GarmentGroup | 'frame')[];
  /** Its class, colours, insulation and wardrobe item. */
  classification: Classification;
  cutout?: GarmentCutOut;
}

/** Size of an upright photo, pixels. */
export interface PhotoSize {
  width: number;
  height: number;
}

/** Whether a person should look at the garments of a photo, and why. */
export interface OutfitReview {
  needed: boolean;
  /** `no-garment`, `several-people`, `too-small`, `garments-unsure`, `category-guessed`, or a cut-out's; more may be added. */
  reasons: string[];
}

/** What the subject of a photo wears. */
export interface OutfitDescription {
  /** Whether skin or hair show. Without, the garments are taken as laid out. */
  person: boolean;
  image: PhotoSize;
  dictionaryVersion: string;
  /** Of the network that tells garments apart. */
  modelVersion: string;
  /** In the outline of the whole subject, 0 to 1. */
  confidence: number;
  garments: OutfitGarment[];
  review: OutfitReview;
  /** Of the whole subject; each garment's is in its classification. */
  fingerprint?: string;
}
