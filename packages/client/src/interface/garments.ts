import type * as contract from '../contract.ts';
import type { Bytes, CallOptions } from './common.ts';

/** How a background is removed and the cut-out is drawn. */
export interface BackgroundRemovalOptions extends CallOptions, contract.CutOutOptions {
  /** An image to put behind the subject: JPEG, PNG or WebP. */
  backgroundImage?: Bytes | undefined;
}

/** A cut-out to mend. */
export interface RefineCutOutRequest {
  /** The photo: JPEG, PNG or WebP. */
  image: Bytes;
  /** A PNG of the size of the upright photo, such as its present cut-out; its last channel counts. */
  alpha: Bytes;
  /** Applied in order; up to 50, with up to 5,000 points together. */
  strokes: readonly contract.Stroke[];
}

/** How a mended cut-out is drawn. */
export interface RefineCutOutOptions extends CallOptions, contract.RefinementOptions {}

/** A garment to classify: by photo, by text or by both. */
export interface ClassifyRequest {
  /** JPEG, PNG or WebP. */
  image?: Bytes | undefined;
  attributes?: contract.FeedAttributes | undefined;
  options?: contract.ClassifyOptions | undefined;
}

/** How the garments of a photo are separated. */
export interface SeparateGarmentsOptions extends CallOptions {
  /** Whether to return the cut-out of each garment; the key needs `background-removal:process` too. */
  cutouts?: boolean | undefined;
  /** Of the cut-outs; `balanced` by default. */
  quality?: contract.Quality | undefined;
  /** How each garment is classified. */
  options?: contract.ClassifyOptions | undefined;
}

/** The garments of a photo. */
export interface SeparatedGarments extends contract.OutfitDescription {
  /** With `cutouts` the cut-out of each garment, a PNG, in the order of `garments`; else empty. */
  images: Uint8Array<ArrayBuffer>[];
  requestId: string;
}
