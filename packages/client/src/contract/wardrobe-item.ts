import type { BodySlot, Layer, Region } from './garment-words.ts';

/* A garment as the outfit engine takes it. */

/** A colour of a garment; it has `hex`, `family` or both. */
export interface WardrobeColor {
  /** `#rrggbb`. */
  hex?: string | undefined;
  share?: number | undefined;
  /** Id of a colour family of the dictionary. */
  family?: string | undefined;
  [extra: string]: unknown;
}

export interface WardrobeMaterial {
  /** Id of a material of the dictionary. */
  id: string;
  share?: number | undefined;
  [extra: string]: unknown;
}

/**
 * One garment of a wardrobe. Only `id` and `category` are needed: the dictionary has defaults for
 * the rest. Other members are ignored and returned.
 */
export interface WardrobeItem {
  /** Yours; unique in the wardrobe, 1 to 128 characters. */
  id: string;
  /** Id of a category of the dictionary. */
  category: string;
  /** Up to 300 characters. */
  name?: string | null | undefined;
  region?: Region | undefined;
  /** If it differs from the category's own. */
  layer?: Layer | undefined;
  bodySlot?: BodySlot | undefined;
  /** Effective insulation Iclu (ISO 9920), clo: 0 to 2. */
  clo?: number | undefined;
  /** From and to, clo: 0 to 2. */
  cloRange?: [number, number] | undefined;
  /** If `clo` is not known: 1 thin to 5 very warm; 3 by default. */
  warmth?: number | undefined;
  /** 0 to 1. */
  waterResistance?: number | undefined;
  /** 0 to 1. */
  windResistance?: number | undefined;
  /** 0 to 1. */
  breathability?: number | undefined;
  /** 0 lounge to 5 formal: one number, or from and to. */
  formality?: number | [number, number] | undefined;
  /** When it is worn; none means all year. Up to 8. */
  seasons?: string[] | undefined;
  /** Up to 8. */
  colors?: WardrobeColor[] | undefined;
  pattern?: string | null | undefined;
  /** Up to 8. */
  materials?: WardrobeMaterial[] | undefined;
  occasions?: string[] | undefined;
  available?: boolean | undefined;
  favorite?: boolean | undefined;
  lastWornDaysAgo?: number | undefined;
  /** Opaque; never fetched. Up to 512 characters. */
  imageRef?: string | undefined;
  /** Whether the outfit engine uses it. */
  lookEligible?: boolean | undefined;
  dictionaryVersion?: string | undefined;
  [extra: string]: unknown;
}
