import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../output/options.ts';
import { CutOutReview } from '../output/review.ts';
import { RulesReport } from '../output/rules/verdicts.ts';
import { Region } from '../taxonomy/dictionary/schema.ts';
import { Fingerprint, GarmentView } from './garment-view.ts';
import { StoredOutfit } from './outfit-view.ts';

/** What a client can request for an image. */
export const OPERATIONS = ['remove-background', 'classify', 'separate'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const Input = z.object({
  /** Hex. */
  sha256: z.string(),
  bytes: z.number(),
  /** Pixels, from the header. */
  width: z.number(),
  height: z.number(),
});

export const CutOut = z.object({
  /** Pixels of the output. */
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
  mediaType: MediaType.default('image/png'),
  /** Absent if no subject was found. */
  foreground: Foreground.optional(),
  /** Of the file, hex. */
  sha256: z.string(),
  /** `id@version` */
  model: z.string(),
  /** 0..1 */
  confidence: z.number(),
  /** Absent if the cut-out was made by a release without reviews. */
  review: CutOutReview.optional(),
  fingerprint: Fingerprint,
  rules: RulesReport.optional(),
  alpha: KeptAlpha,
});
export type CutOutRecord = z.infer<typeof CutOut>;

export const Results = z.object({
  cutout: CutOut.optional(),
  view: GarmentView.optional(),
  /** The garments of an outfit, each by itself. */
  outfit: StoredOutfit.optional(),
});
export type JobResults = z.infer<typeof Results>;

/** A cut-out with its key in object storage. */
export const StoredCutOut = CutOut.extend({ key: z.string() });
export type StoredCutOut = z.infer<typeof StoredCutOut>;

/** Since when and why the source of a picture could not be read: the picture is the last good one. */
const Stale = z.object({
  since: z.iso.datetime(),
  reason: z.string(),
});

/** An image of the previous run with its results, which are reused if the image has not changed. */
export const PreviousImage = z.object({
  /** From the image's server. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  input: Input,
  results: Results.extend({ cutout: StoredCutOut.optional() }),
  /** The picture for marketplaces, if it is not the cut-out itself. */
  picture: z
    .object({ key: z.string(), mediaType: z.string(), background: z.string().optional() })
    .optional(),
  stale: Stale.optional(),
  /** In feeds: identifies the bytes and the options, hex. */
  photo: z.string().optional(),
  /** In feeds: the batch and row that made it, and are charged for it. */
  madeBy: z.string().optional(),
});
export type PreviousImage = z.infer<typeof PreviousImage>;

export const RowPosition = {
  /** Number of the row in the batch, from 0, rejected rows included. */
  row: z.number(),
  /** Line of the upload on which the row starts, from 1; of files, their number. */
  line: z.number(),
};

/** One version of an object of a source. */
export const SourceObject = z.object({
  /** Of the source. */
  source: z.string(),
  /** Below the prefix or folder of the source. */
  name: z.string(),
  version: z.string(),
  bytes: z.number(),
  /** Name of its result, without the extension; absent if it gets none. */
  output: z.string().optional(),
});
export type SourceObject = z.infer<typeof SourceObject>;

export const AcceptedRow = z.object({
  ...RowPosition,
  customId: z.string(),
  /** In feeds: of the product, cut to its first characters; for people who review its pictures. */
  title: z.string().optional(),
  source: z.union([
    z.object({ url: z.string() }),
    z.object({ key: z.string() }),
    z.object({ object: SourceObject }),
  ]),
  /** In feeds: which image of its product, 0 for the main one. */
  image: z.number().optional(),
  /** In feeds: the shop's category of the product, normalised. */
  shopPath: z.string().optional(),
  /** In feeds whose pictures show the garment that is sold: where it is worn, if the row says so. */
  region: Region.optional(),
  /** In feeds: the last good result of the image. */
  earlier: PreviousImage.optional(),
  /** In feeds: the first row of the run with the same link, which is fetched once. */
  sameAs: z.object({ chunk: z.number(), row: z.number() }).optional(),
  /** The earlier result is that of another link, whose validators say nothing about this one. */
  isOtherLink: z.boolean().optional(),
});
export type AcceptedRow = z.infer<typeof AcceptedRow>;

/** What servers of a feed are sent, as it is stored: secrets are encrypted. */
export const StoredAccess = z.object({
  /** The only one that gets the secrets. */
  origin: z.string(),
  /** The names of the headers with secrets. */
  headers: z.array(z.string()),
  /** The headers as JSON. */
  sealed: z.string().optional(),
  userAgent: z.string().optional(),
  referer: z.string().optional(),
});
export type StoredAccess = z.infer<typeof StoredAccess>;
