import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../output/options.ts';
import { CutOutReview } from '../output/review.ts';
import { RulesReport } from '../output/rules/verdicts.ts';
import { Region } from '../taxonomy/dictionary/schema.ts';
import { ParseGroup } from '../taxonomy/outfit/parse-groups.ts';

/*
 * The result of the job `classify-garment`, which passes from the worker through the queue to the gateway.
 * The schema is here because both processes, and the records that store it, read it.
 */

const MeasuredColor = z.object({
  family: z.string(),
  hex: z.string(),
  /** Of the subject's pixels, 0..1. */
  share: z.number(),
  /** CIELAB. */
  lab: z.tuple([z.number(), z.number(), z.number()]).readonly(),
  deltaE: z.number(),
});

export const GarmentMeasurements = z.object({
  /** One per class of the model, in its order; they sum to 1. */
  probabilities: z.array(z.number()),
  /** Of the garment, the largest share first. */
  colors: z.array(MeasuredColor),
});

export type GarmentMeasurements = z.infer<typeof GarmentMeasurements>;

/** Of what was cut out; see `src/imaging/fingerprint.ts`. Absent if nothing was, and from results of older releases. */
export const Fingerprint = z.string().optional();

/** The model's output for one image, before `taxonomy` turns it into terms. */
export const GarmentView = z.object({
  /** Pixels of the upright image. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the model used. */
  model: z.string(),
  ...GarmentMeasurements.shape,
  fingerprint: Fingerprint,
  /** What a person wears in the image, the largest first; absent from results of older releases. */
  worn: z.array(GarmentMeasurements.extend({ share: z.number() })).optional(),
  /** Whether the image had an alpha channel with transparency. */
  hasAlpha: z.boolean(),
});

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
