import type { BodySlot, Layer, Locale, Region } from './garment-words.ts';
import type { WardrobeItem } from './wardrobe-item.ts';

/* Classification of a garment. */

/**
 * What a feed says of an article, under the names of the Google Merchant feed. Other columns are
 * ignored and listed in `warnings`.
 */
export interface FeedAttributes {
  /** Yours, 1 to 128 characters; becomes the wardrobe item's id. */
  id?: string | undefined;
  /** Up to 300 characters. */
  title?: string | undefined;
  /** Up to 5000 characters. */
  description?: string | undefined;
  /** Your own path, such as `Men > Shirts`; up to 750 characters. */
  product_type?: string | undefined;
  /** An id or a path of the Google Product Taxonomy. */
  google_product_category?: string | number | undefined;
  brand?: string | undefined;
  color?: string | undefined;
  /** With shares, or `cotton/polyester`; up to 500 characters. */
  material?: string | undefined;
  pattern?: string | undefined;
  size?: string | undefined;
  gender?: string | undefined;
  age_group?: string | undefined;
  /** BCP 47, such as `de-AT`; guessed by default. */
  language?: string | undefined;
  sleeve_length?: string | undefined;
  /** `light`, `medium` or `heavy`. */
  weight?: string | undefined;
  [column: string]: unknown;
}

/** How a classification is done. */
export interface ClassifyOptions {
  /** How many candidates to return, 1 to 10; 5 by default. */
  topK?: number | undefined;
  /** Below this confidence the result is `uncertain`: a group, no category; 0.5 by default. */
  minConfidence?: number | undefined;
  /** A language tag such as `de-AT`; by default what `Accept-Language` prefers, else English. */
  locale?: string | undefined;
  /** Whether to return a `wardrobeItem`; `true` by default. */
  wardrobeItem?: boolean | undefined;
}

/** The category of a garment. */
export interface ClassifiedCategory {
  /** Null if only the group is known. */
  id: string | null;
  label: string;
  groupId: string;
  region: Region | null;
  layer: Layer | null;
  bodySlot: BodySlot | null;
  confidence: number;
  source: 'text' | 'model' | 'fused';
}

/** A category that the garment may have. */
export interface CategoryCandidate {
  id: string;
  label: string;
  confidence: number;
}

/** Classes of the image model. */
export type ImageClass =
  | 't-shirt'
  | 'longsleeve'
  | 'tank-top'
  | 'polo'
  | 'shirt'
  | 'blouse'
  | 'bodysuit'
  | 'sweater'
  | 'hoodie'
  | 'vest'
  | 'blazer'
  | 'outwear'
  | 'coat'
  | 'dress'
  | 'skirt'
  | 'pants'
  | 'jeans'
  | 'leggings'
  | 'shorts'
  | 'tights'
  | 'shoes'
  | 'boots'
  | 'heels'
  | 'sandals'
  | 'flats'
  | 'hat'
  | 'scarf'
  | 'belt'
  | 'socks'
  | 'bag'
  | 'sunglasses'
  | 'other';

/** What the photo says. */
export interface ImageEvidence {
  class: ImageClass;
  confidence: number;
  calibrated: true;
}

/** A word that was recognised. */
export interface TextMatch {
  /** The column. */
  field: string;
  /** As the column has it. */
  match: string;
  /** First and last position in UTF-16 units, end excluded. */
  span: number[];
  language: Locale;
}

/** What the text says. */
export interface TextEvidence {
  category: string | null;
  confidence: number;
  /** That the text sells no garment, 0 to 1. */
  notGarment: number;
  /** If `notGarment` leads, what it seems to be: pet, home, part, … */
  thing: string | null;
  language: Locale | null;
  matches: TextMatch[];
  /** Columns that file the article elsewhere than the title does. */
  contradictedBy: CategoryColumn[];
}

export type CategoryColumn = 'product_type' | 'google_product_category';

/** What a classification is based on. */
export interface ClassificationEvidence {
  /** Null without a photo. */
  image: ImageEvidence | null;
  /** Null without text. */
  text: TextEvidence | null;
  /** Whether photo and text agree; null if there is only one of them. */
  agreement: boolean | null;
}

/** Where an attribute comes from; `default` is the usual value of the category. */
export type AttributeSource = 'measured' | 'text' | 'model' | 'default';

export interface ClassifiedWord {
  id: string;
  source: AttributeSource;
}

export interface ClassifiedMaterial extends ClassifiedWord {
  share?: number;
}

export interface ClassifiedRating {
  /** 0 to 1. */
  value: number;
  source: AttributeSource;
}

export interface ClassifiedColor {
  family: string;
  /** `#rrggbb`. */
  hex?: string;
  share?: number;
  /** CIELAB, D65: three numbers. */
  lab?: number[];
  /** CIEDE2000 to the prototype of the family. */
  deltaE?: number;
  source: AttributeSource;
}

export interface ClassifiedFormality {
  /** 0 lounge to 5 formal. */
  min: number;
  /** 0 lounge to 5 formal. */
  max: number;
  source: AttributeSource;
}

export interface ClassifiedSeasons {
  ids: string[];
  source: AttributeSource;
}

export interface ClassifiedAttributes {
  colors: ClassifiedColor[];
  /** One word for all colours together. */
  colorFamily?: ClassifiedWord;
  pattern?: ClassifiedWord;
  materials: ClassifiedMaterial[];
  properties: ClassifiedWord[];
  sleeveLength?: ClassifiedWord;
  gender?: ClassifiedWord;
  ageGroup?: ClassifiedWord;
  weight?: ClassifiedWord;
  formality?: ClassifiedFormality;
  seasons?: ClassifiedSeasons;
  waterResistance?: ClassifiedRating;
  windResistance?: ClassifiedRating;
  breathability?: ClassifiedRating;
}

/** A published source of an insulation value. */
export interface InsulationSource {
  table: string;
  entry?: string;
  note?: string;
}

/** Factors that an insulation value was multiplied by. */
export interface InsulationFactors {
  material: number;
  sleeve: number;
}

/** Effective insulation Iclu of a garment (ISO 9920), clo. */
export interface Insulation {
  clo: number;
  min: number;
  max: number;
  confidence: 'high' | 'medium' | 'low';
  sources: InsulationSource[];
  factors: InsulationFactors;
}

/** Ids in other taxonomies. */
export interface TaxonomyMappings {
  shopify: string | null;
  google: number | null;
}

export type ReviewReason =
  | 'low-confidence'
  | 'image-text-disagree'
  | 'text-category-disagree'
  | 'language-not-supported'
  | 'not-a-garment'
  | 'multiple-garments'
  | 'too-small'
  | 'colour-mismatch'
  | 'material-missing';

/** Whether a person should look at the result. */
/** A reason in the language of the response. */
export interface ReviewText {
  code: ReviewReason;
  text: string;
}

export interface Review {
  needed: boolean;
  reasons: ReviewReason[];
  explanation: ReviewText[];
}

/** What a garment is. */
export interface Classification {
  /** A category; only its group; or no garment of the dictionary. */
  status: 'classified' | 'uncertain' | 'unknown';
  /** False if it is something else, such as a watch; null if unknown. */
  garment: boolean | null;
  dictionaryVersion: string;
  /** Null without a photo. */
  modelVersion: string | null;
  category: ClassifiedCategory | null;
  topK: CategoryCandidate[];
  evidence: ClassificationEvidence;
  attributes: ClassifiedAttributes;
  insulation: Insulation | null;
  mappings: TaxonomyMappings;
  wardrobeItem: WardrobeItem | null;
  /** Of a set: each of its garments; absent otherwise. */
  items?: WardrobeItem[] | undefined;
  review: Review;
  warnings: string[];
  /**
   * Of what is cut out of the photo: the name of its format and 64 bytes in base64url. Alike for copies of a picture.
   */
  fingerprint?: string;
}

export interface ClassifyResponse extends Classification {
  requestId: string;
}
