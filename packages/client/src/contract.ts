/**
 * The JSON that the service accepts and returns. The names are those of its OpenAPI document
 * (`GET /openapi.json`), which has every rule. Units are part of names or stand in the comments:
 * `clo` is clothing insulation (1 clo = 0.155 m²·K/W), `met` is activity (1 met = 58.2 W/m²).
 * Dates are ISO 8601 in UTC. A `share`, a `confidence` and a rating are numbers from 0 to 1.
 */

/** Language of labels and names. */
export type Locale = 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl';

// ---------------------------------------------------------------------------------- Cut-outs

/** `high` refines edges against the photo and takes longer; `fast` makes a larger file sooner. */
export type Quality = 'fast' | 'balanced' | 'high';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** How a cut-out is made and drawn. Every member is optional; only those given are sent. */
export interface CutOutOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** `png` by default; a `jpeg` is not transparent and has a white background by default. */
  format?: ImageFormat | undefined;
  /** `rgba` by default; `alpha` returns the matte alone, as an 8-bit grey image. */
  channels?: 'rgba' | 'alpha' | undefined;
  /** `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour. */
  backgroundColor?: string | undefined;
  /** An image that covers the canvas: http or https, public addresses only, up to 2048 characters. */
  backgroundImageUrl?: string | undefined;
  /** Crops to the bounding box of the subject; `false` by default. */
  crop?: boolean | undefined;
  /**
   * Space around the box, with `crop`: 1, 2 or 4 lengths as in CSS, each up to `500px` or `50%` of
   * the box.
   */
  cropMargin?: string | undefined;
  /** Share of the canvas that the subject fits in: `10%` to `100%`, or `original` (the default). */
  scale?: string | undefined;
  /** `original`, `center`, or one or two of `0%` to `100%` of the space left over. */
  position?: string | undefined;
  /** Region of the input in which the subject is looked for: `x1 y1 x2 y2` in `px` or `%`. */
  roi?: string | undefined;
  /** Larger outputs are scaled down to this size, million pixels: 0.01 to 1000. */
  maxOutputMegapixels?: number | undefined;
  /** `drop` draws a soft shadow below the subject; `none` by default. */
  shadow?: 'none' | 'drop' | undefined;
  /** Opacity of the shadow, percent: 0 to 100; 50 by default. */
  shadowOpacityPct?: number | undefined;
  /** `false` makes everything inside the subject's outline opaque; `true` by default. */
  semitransparency?: boolean | undefined;
}

/** The options in effect, as the service reports them; options at their defaults are left out. */
export interface AppliedCutOutOptions {
  quality?: Quality;
  format?: 'jpeg' | 'webp';
  asZip?: true;
  channels?: 'alpha';
  backgroundColor?: string;
  backgroundImageUrl?: string;
  backgroundImageSha256?: string;
  crop?: true;
  cropMargin?: string;
  scale?: string;
  position?: string;
  roi?: string;
  maxOutputMegapixels?: number;
  shadow?: 'drop';
  shadowOpacityPct?: number;
  semitransparency?: false;
}

/** A rectangle in pixels, from the top left corner. */
export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A finished cut-out. */
export interface CutOut {
  /** Path of the image on the service. */
  url: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  bytes: number;
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'application/zip';
  /** Bounding box of the subject in the output; absent if no subject was found. */
  foreground?: Rectangle;
  /** Hexadecimal. */
  sha256: string;
  /** `id@version`. */
  model: string;
  /** Likelihood that the mask is right, 0 to 1. */
  confidence: number;
}

/** Why work failed. */
export interface ProblemSummary {
  /** A problem type, such as `unprocessable-image`. */
  type: string;
  title: string;
  /** The HTTP status that a synchronous request would have had. */
  status: number;
  detail: string;
}

/** The image that was processed. */
export interface InputImage {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Pixels, upright. */
  width: number;
  /** Pixels, upright. */
  height: number;
}

// -------------------------------------------------------------------- Jobs, batches and feeds

/** What is done to an image. */
export type Operation = 'remove-background' | 'classify';

/** How long results are retained. */
export interface RetentionOptions {
  /** After the end of the work, seconds: 60 to 604,800 (7 days); 86,400 by default. */
  outputSeconds?: number | undefined;
}

/** Receives an event when the work ends; see Standard Webhooks 1.0. */
export interface Webhook {
  /** http or https, without credentials; public addresses only, redirects are not followed. */
  url: string;
}

/** What is asked of a job, apart from its images. */
export interface JobOptions {
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: CutOutOptions | undefined;
  retention?: RetentionOptions | undefined;
  webhook?: Webhook | undefined;
}

export type JobStatus = 'queued' | 'active' | 'succeeded' | 'failed' | 'canceled' | 'expired';

export interface JobResults {
  cutout?: CutOut;
  classification?: Classification;
}

/** Paths on the service. */
export interface JobLinks {
  self: string;
  result: string;
  cancel: string;
}

/** One image that is processed asynchronously. */
export interface Job {
  id: string;
  status: JobStatus;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  /** When results and record are deleted. */
  expiresAt: string;
  /** When the job was deleted. */
  erasedAt?: string;
  input?: InputImage;
  results?: JobResults;
  problem?: ProblemSummary;
  webhook?: Webhook;
  links: JobLinks;
}

/** A new batch; its rows are added afterwards. */
export interface CreateBatchRequest {
  /** 1 to 200 characters. */
  name?: string | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: CutOutOptions | undefined;
  retention?: RetentionOptions | undefined;
  webhook?: Webhook | undefined;
}

export type BatchStatus =
  | 'open'
  | 'sealed'
  | 'running'
  | 'finalizing'
  | 'canceling'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'expired';

/** Rows of a batch, counted. */
export interface BatchCounts {
  accepted: number;
  rejected: number;
  /** Accepted, and not with a worker yet. */
  queued: number;
  active: number;
  succeeded: number;
  failed: number;
  /** Not done when the batch ended. */
  canceled: number;
}

/** How far the latest upload is: it continues from `offset`. */
export interface UploadState {
  format: string;
  /** Bytes of rows, or files of a form, that have arrived. */
  offset: number;
}

/** Paths on the service. */
export interface BatchLinks {
  self: string;
  items: string;
  results: string;
  errors: string;
  manifest: string;
  events: string;
}

/** Many images that are processed asynchronously. */
export interface Batch {
  id: string;
  status: BatchStatus;
  name?: string;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  counts: BatchCounts;
  upload?: UploadState;
  createdAt: string;
  sealedAt?: string;
  finishedAt?: string;
  /** When results and records are deleted. */
  expiresAt: string;
  /** When the batch was deleted. */
  erasedAt?: string;
  problem?: ProblemSummary;
  webhook?: Webhook;
  links: BatchLinks;
}

/** One row of a batch; it has either `imageUrl` or `imageBase64`. */
export interface BatchRow {
  /** Yours; unique in the batch, up to 256 characters. */
  customId: string;
  /** http or https; public addresses only. */
  imageUrl?: string | undefined;
  /** Base64, or a data URL. */
  imageBase64?: string | undefined;
}

/** A row that succeeded. */
export interface BatchResult {
  /** Counted from 0. */
  row: number;
  customId: string;
  status: 'succeeded';
  cutout?: CutOut;
  classification?: Classification;
}

/** A row that failed or was rejected. */
export interface BatchError {
  /** Counted from 0. */
  row: number;
  customId?: string;
  /** Line of the upload, counted from 1. */
  line: number;
  problem: ProblemSummary;
}

/** The cut-out of a row, to compare with a copy of it. */
export interface ManifestCutOut {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Path of the image on the service. */
  url: string;
}

/** Any row of a batch. */
export interface BatchManifestRow {
  /** Counted from 0. */
  row: number;
  /** Line of the upload, counted from 1. */
  line: number;
  customId?: string;
  status: 'succeeded' | 'failed' | 'rejected' | 'pending' | 'canceled';
  input?: InputImage;
  cutout?: ManifestCutOut;
  problem?: ProblemSummary;
}

/** The problem of a rejected row. */
export interface RejectionReason {
  type: string;
  detail: string;
}

/** A row that an upload rejected. */
export interface RejectedRow {
  /** Counted from 1. */
  line: number;
  customId?: string;
  problem: RejectionReason;
}

/** The result of an upload of rows or files. */
export interface UploadResult {
  accepted: number;
  rejected: number;
  /** Bytes of the rows, or number of the files, that have arrived. */
  offset: number;
  /** The first rejected rows, up to 10. */
  errors: RejectedRow[];
  warnings: string[];
}

/** Proof of a deletion. */
export interface DeletionReceipt {
  id: string;
  erasedAt: string;
  /** How many images, rows and results were deleted. */
  blobs: number;
}

/** Progress of a batch or a feed run. */
export interface ProgressUpdate {
  event: 'progress' | 'completed';
  id: string;
  status: BatchStatus;
  counts: BatchCounts;
}

export type FeedFormat = 'auto' | 'rss' | 'atom' | 'tsv' | 'csv' | 'ndjson';

/** How the images of a feed are cut out. */
export interface FeedImageOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
}

/** How the exported images look. */
export interface FeedExportOptions {
  /** Behind the subject: `#rrggbb`, `white` or `none` (the default). */
  background?: string | undefined;
}

/** How long runs and their images are retained. */
export interface FeedRetentionOptions {
  /** After the end of a run, seconds: 3600 to 34,560,000 (400 days); 365 days by default. */
  outputSeconds?: number | undefined;
}

/** A feed that the service reads from a URL. */
export interface CreateFeedFromUrlRequest {
  /** http or https, without credentials; public addresses only. */
  url: string;
  /** `auto` by default. */
  format?: FeedFormat | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: FeedImageOptions | undefined;
  /** When the URL is read again: five fields of cron in UTC, such as `30 4 * * *`. */
  schedule?: string | undefined;
  export?: FeedExportOptions | undefined;
  retention?: FeedRetentionOptions | undefined;
  /** Receives an event at the end of each run. */
  webhook?: Webhook | undefined;
}

/** What is asked of a feed that is sent as the body. */
export interface FeedUploadOptions {
  /** `auto` by default. */
  format?: FeedFormat | undefined;
  /** `['remove-background']` by default. */
  operations?: readonly Operation[] | undefined;
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** Behind the subject: `#rrggbb`, `white` or `none` (the default). */
  background?: string | undefined;
  /** Retention after the end of a run, seconds: 3600 to 34,560,000; 365 days by default. */
  outputSeconds?: number | undefined;
  /** Receives an event at the end of each run. */
  webhookUrl?: string | undefined;
  /** Up to 200 characters. */
  fileName?: string | undefined;
}

/** Rows and images of a feed run, counted. */
export interface FeedRunCounts {
  /** Rows of the feed, including rejected ones. */
  rows: number;
  /** Images to process; a row may have several. */
  images: number;
  /** Images that are the same as in the run before; they cost nothing. */
  unchanged: number;
  /** Images that were processed with success. */
  changed: number;
  succeeded: number;
  failed: number;
  /** Rows that cannot be used. */
  rejected: number;
}

/** Paths on the service. */
export interface FeedRunLinks {
  self: string;
  report: string;
  export: string;
  cancel: string;
  feed: string;
}

/** One import of a feed. */
export interface FeedRun {
  id: string;
  feedId: string;
  /** `open` while the feed is being read. */
  status: BatchStatus;
  counts: FeedRunCounts;
  createdAt: string;
  finishedAt?: string;
  /** When results and records are deleted. */
  expiresAt: string;
  problem?: ProblemSummary;
  links: FeedRunLinks;
}

/** A feed that was read from a URL. */
export interface FeedUrlSource {
  url: string;
}

/** A feed that was sent as a body. */
export interface FeedUploadSource {
  uploaded: true;
}

/** Paths on the service. */
export interface FeedLinks {
  self: string;
  runs: string;
  export: string;
}

/** The retention in effect. */
export interface FeedRetention {
  /** Seconds after the end of a run. */
  outputSeconds: number;
}

/** A retailer's product feed. */
export interface Feed {
  id: string;
  source: FeedUrlSource | FeedUploadSource;
  format: FeedFormat;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  /** Cron, UTC. */
  schedule?: string;
  export: FeedExportOptions;
  retention: FeedRetention;
  webhook?: Webhook;
  createdAt: string;
  /** The latest run. */
  run?: FeedRun;
  /** Ids of all runs, newest first. */
  runs: string[];
  lastCompletedRunId?: string;
  links: FeedLinks;
}

/** The first line of a report: the run itself. */
export interface FeedReportRun extends FeedRun {
  kind: 'run';
}

/** A row of the feed that cannot be used. */
export interface FeedReportRejection {
  kind: 'rejected';
  id?: string;
  title?: string;
  /** Counted from 1. */
  line: number;
  reasons: string[];
}

/** One image of a product and its outcome. */
export interface FeedReportImage {
  /** As the feed has it. */
  url: string;
  outcome: 'changed' | 'unchanged' | 'failed' | 'not-done';
  reason?: string;
  /** The URL of the new image. */
  picture?: string;
}

/** A product of the feed. */
export interface FeedReportProduct {
  kind: 'product';
  id: string;
  title?: string;
  /** Counted from 1. */
  line: number;
  notes: string[];
  images: FeedReportImage[];
}

/** One line of a feed report: the run, then each row. */
export type FeedReportLine = FeedReportRun | FeedReportRejection | FeedReportProduct;

/** Requests that the key's rate still allows. */
export interface RateUsage {
  limit: number;
  remaining: number;
  /** Until the full rate is available again. */
  resetSeconds: number;
}

/** Removals that the key's daily quota still allows. */
export interface QuotaUsage {
  limit: number;
  remaining: number;
  /** The next midnight UTC. */
  resetsAt: string;
}

/** What a key allows and what is left of it. */
export interface Usage {
  client: string;
  scopes: string[];
  rate: RateUsage;
  quota: QuotaUsage;
}

// ---------------------------------------------------------------------------------- Taxonomy

/** Part of the body that a garment covers. */
export type Region = 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';

/** Layer that a garment is worn in. */
export type Layer = 'underwear' | 'base' | 'mid' | 'outer' | 'footwear' | 'accessory';

/** Place on the body that a garment takes. */
export type BodySlot =
  | 'head'
  | 'eyes'
  | 'neck'
  | 'torso'
  | 'waist'
  | 'hands'
  | 'legs'
  | 'feet'
  | 'full'
  | 'carry';

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
  /** `en` by default. */
  locale?: Locale | undefined;
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
  | 'dress'
  | 'hat'
  | 'longsleeve'
  | 'outwear'
  | 'pants'
  | 'shirt'
  | 'shoes'
  | 'shorts'
  | 'skirt'
  | 't-shirt';

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
  language: Locale | null;
  matches: TextMatch[];
}

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
  | 'not-a-garment'
  | 'multiple-garments'
  | 'too-small'
  | 'colour-mismatch'
  | 'material-missing';

/** Whether a person should look at the result. */
export interface Review {
  needed: boolean;
  reasons: ReviewReason[];
}

/** What a garment is. */
export interface Classification {
  /** A category; only its group; or no garment of the dictionary. */
  status: 'classified' | 'uncertain' | 'unknown';
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
  review: Review;
  warnings: string[];
}

export interface ClassifyResponse extends Classification {
  requestId: string;
}

/** Selects parts of the dictionary. */
export interface TaxonomyOptionsQuery {
  /** `en` by default. */
  locale?: Locale | undefined;
  /**
   * Comma-separated: categories, colours, materials, patterns, attributes, profile. All by default.
   */
  sections?: string | undefined;
  /** Rejects the request if the dictionary has another version. */
  version?: string | undefined;
}

/** An id of the dictionary and its label in the language asked for. */
export interface DictionaryEntry {
  id: string;
  label: string;
}

export interface DictionaryLayer {
  id: Layer;
  label: string;
  /** From the skin outwards; null for layers without an order. */
  order: number | null;
}

export interface DictionaryGroup extends DictionaryEntry {
  region: Region | null;
}

/** Effective insulation Iclu of a category (ISO 9920), clo. */
export interface CategoryInsulation {
  default: number;
  min: number;
  max: number;
  confidence: string;
  sources: InsulationSource[];
}

/** From 0 lounge to 5 formal. */
export interface FormalityRange {
  min: number;
  max: number;
}

/** Ids of a category in other taxonomies. */
export interface CategoryMappings {
  shopify: string;
  google: number;
}

export interface DictionaryCategory extends DictionaryEntry {
  groupId: string;
  region: Region;
  layer: Layer;
  bodySlot: string;
  /** Whether the outfit engine uses it. */
  lookEligible: boolean;
  clo: CategoryInsulation;
  formality: FormalityRange;
  /** Empty if worn all year. */
  seasons: string[];
  mappings: CategoryMappings;
}

export interface DictionaryColour extends DictionaryEntry {
  /** `#rrggbb`; null for families without one colour. */
  hex: string | null;
  /** Whether it can be measured on a photo. */
  measurable: boolean;
}

export interface DictionaryMaterial extends DictionaryEntry {
  fibreName: string | null;
  insulationFactor: number;
  /** 0 to 1. */
  waterResistance: number;
  /** 0 to 1. */
  windResistance: number;
  /** 0 to 1. */
  breathability: number;
}

/** A value of an attribute. */
export interface DictionaryAttribute {
  id: string | number;
  label: string;
}

export interface ThermalProfileEntry extends DictionaryEntry {
  /** Kelvin. */
  offsetC: number;
}

/** Bounds of a setting. */
export interface SettingRange {
  min: number;
  max: number;
  step: number;
  unit: string;
}

export interface OccasionEntry extends DictionaryEntry {
  /** From and to, 0 lounge to 5 formal. */
  formality: number[];
}

export interface ActivityEntry extends DictionaryEntry {
  /** Met. */
  met: number;
}

/** What a person can choose. */
export interface ProfileOptions {
  thermalProfiles: ThermalProfileEntry[];
  offsetC: SettingRange;
  cloOffset: SettingRange;
  fitPreferences: DictionaryEntry[];
  occasions: OccasionEntry[];
  activities: ActivityEntry[];
  weatherConditions: DictionaryEntry[];
}

/** What the classifier knows. */
export interface ClassifierInfo {
  imageClasses: string[];
  languages: Locale[];
}

/** The dictionary; sections that were not asked for are left out. */
export interface TaxonomyOptionsResponse {
  dictionaryVersion: string;
  contentHash: string;
  locale: Locale;
  locales: Locale[];
  regions: Region[];
  layers: DictionaryLayer[];
  groups?: DictionaryGroup[];
  categories?: DictionaryCategory[];
  colours?: DictionaryColour[];
  materials?: DictionaryMaterial[];
  patterns?: DictionaryEntry[];
  attributes?: Record<string, DictionaryAttribute[]>;
  profile?: ProfileOptions;
  model: ClassifierInfo;
}

// ----------------------------------------------------------------------------------- Outfits

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

export type WeatherCondition =
  | 'clear'
  | 'partly-cloudy'
  | 'cloudy'
  | 'fog'
  | 'drizzle'
  | 'rain'
  | 'heavy-rain'
  | 'thunderstorm'
  | 'sleet'
  | 'hail'
  | 'snow'
  | 'heavy-snow'
  | 'windy';

export interface Weather {
  /** Air at 2 m, °C: −60 to 60. */
  tempC: number;
  /** Wind at 10 m, metres per second: 0 to 60. */
  windMs: number;
  /** Relative humidity, percent: 0 to 100. */
  humidityPct: number;
  condition: WeatherCondition;
  /** Whether the sun is up; `true` by default. */
  isDay?: boolean | undefined;
}

export type ThermalProfile =
  | 'runs-very-cold'
  | 'runs-cold'
  | 'neutral'
  | 'runs-warm'
  | 'runs-very-warm';

/** A number for each part of the body. */
export interface BodyValues {
  top?: number | undefined;
  bottom?: number | undefined;
  feet?: number | undefined;
  hands?: number | undefined;
  head?: number | undefined;
}

/** What calibration has learned. */
export interface ProfileLearning {
  /** Votes so far. */
  n: number;
  variance: number;
  regionVariance?: BodyValues | undefined;
  model: string;
  [extra: string]: unknown;
}

/** How warm a person likes it. Other members are returned unchanged. */
export interface UserProfile {
  version?: 1 | undefined;
  thermalProfile?: ThermalProfile | undefined;
  /** By how much the person feels cold sooner than most, kelvin: −6 to 6; overrides the label. */
  offsetC?: number | undefined;
  /** 0.5 to 2. */
  sensitivity?: number | undefined;
  /** Kelvin: −3 to 3. */
  regionOffsetC?: BodyValues | undefined;
  coldHands?: boolean | undefined;
  coldFeet?: boolean | undefined;
  learning?: ProfileLearning | undefined;
  [extra: string]: unknown;
}

/**
 * Where the outfit is for: `indoor` dresses for the room and offers a shell for outside, `outdoor`
 * dresses for outside.
 */
export type Plan = 'indoor' | 'outdoor';

/** Whom an outfit is for. */
export interface PersonFields {
  userProfile?: UserProfile | undefined;
  /** Insulation to add, clo: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  /** Id of an occasion of the dictionary. */
  occasion?: string | undefined;
}

export interface TargetsRequest extends PersonFields {
  weather: Weather;
  /** Activity, met: 0.7 to 7. 1 is sitting, 2 is walking. */
  met: number;
  /** °C: 5 to 40; by default 22 in the heating season and 24.5 in the cooling season. */
  indoorTempC?: number | undefined;
}

/** Sums of Iclu to wear by region, clo; do not add them up. */
export interface RegionalTargets {
  top: number;
  outerwear: number;
  dress: number;
  bottom: number;
  shoes: number;
  accessory: number;
}

/** Insulation of the whole outfit, clo. */
export interface TotalTarget {
  iclRequired: number;
  iclResultant: number;
  sumIclu: number;
  iclRaw: number;
  capped: boolean;
  floored: boolean;
}

/** What targets were computed from. */
export interface TargetInputs {
  condition: WeatherCondition;
  isDay: boolean;
  offsetC: number;
  sensitivity: number;
  regionOffsetC: BodyValues;
  cloOffset: number;
  occasion: string | null;
  indoorTempC: number | null;
}

/** The insulation needed outdoors, signed. Send it back unchanged. */
export interface Targets {
  tempC: number;
  windMs: number;
  humidityPct: number;
  met: number;
  /** Boundary air layer, clo. */
  iA: number;
  /** Vapour gradient relative to 50 % relative humidity. */
  kHumidity: number;
  /** Dry heat that the clothing must pass, W/m². */
  hEff: number;
  regionalTargets: RegionalTargets;
  thermalProfile: ThermalProfile;
  total: TotalTarget;
  inputs: TargetInputs;
  paramsVersion: string;
  /** The signature. */
  digest: string;
}

export interface IndoorTotalTarget {
  /** Clo. */
  iclRequired: number;
}

/** The insulation needed in the room; empty for the plan `outdoor`. */
export interface IndoorTargets {
  tempC?: number;
  met?: number;
  regionalTargets?: RegionalTargets;
  total?: IndoorTotalTarget;
}

export interface TargetsResponse {
  targets: Targets;
  indoorTargets: IndoorTargets;
  /** °C. */
  indoorTempC: number;
  /** Even the lightest clothing is too warm. */
  isHotRegime: boolean;
}

/** A wardrobe, and what must and must not be worn from it. */
export interface WardrobeFields {
  /** Up to 1000. */
  items: WardrobeItem[];
  /** Selects among equally good outfits; the same seed returns the same outfits. */
  seed?: number | undefined;
  /** Ids of items to wear, up to 6. */
  must?: string[] | undefined;
  /** Ids of items not to wear. */
  exclude?: string[] | undefined;
}

export interface CandidatesRequest extends TargetsRequest, WardrobeFields {
  /** `indoor` by default. */
  plan?: Plan | undefined;
  /** 1 to 200. */
  limit?: number | undefined;
}

/** `separates` are a top and a bottom; `one-piece` is a dress or the like. */
export type OutfitForm = 'separates' | 'one-piece';

/** Ids of the items worn, by place in the outfit. */
export interface OutfitSlots {
  underTop?: string;
  underBottom?: string;
  main?: string;
  mid?: string;
  outer?: string;
  bottom?: string;
  over?: string;
  socks?: string;
  shoes?: string;
  head?: string;
  neck?: string;
  hands?: string;
}

/** Items worn together. */
export interface Candidate {
  id: string;
  itemIds: string[];
  form: OutfitForm;
  slots: OutfitSlots;
}

/** Why items were left out, or why there is no outfit. */
export interface Diagnostic {
  code: string;
  slot?: string;
  itemIds?: string[];
  detail: string;
}

/** What every search for outfits returns. */
export interface SearchResponse extends TargetsResponse {
  plan: Plan;
  diagnostics: Diagnostic[];
  /** The search was cut short. */
  truncated: boolean;
  /** Points that an outfit not found could still gain; 0 if the result is proved optimal. */
  gap: number;
}

export interface CandidatesResponse extends SearchResponse {
  candidates: Candidate[];
  /** How many outfits there are, exactly: a decimal integer of any size. */
  totalValid: string;
}

/** An outfit worn lately; other outfits are preferred. */
export interface RecentOutfit {
  /** 1 to 12. */
  itemIds: string[];
  /** 0 to 3650. */
  daysAgo: number;
}

export interface OutfitsRequest extends TargetsRequest, WardrobeFields {
  /** `indoor` by default. */
  plan?: Plan | undefined;
  /** 1 to 20. */
  limit?: number | undefined;
  /** Up to 100. */
  recent?: RecentOutfit[] | undefined;
  /** Language of the names; `en` by default. */
  locale?: Locale | undefined;
}

/** Components of a score, each 0 to 1. */
export interface ScoreBreakdown {
  thermal: number;
  regions: number;
  protection: number;
  occasion: number;
  color: number;
  season: number;
  variety: number;
}

/** Insulation in a region, clo. */
export interface RegionInsulation {
  clo: number;
  target: number;
}

/** How warm an outfit is. */
export interface ThermalReport {
  plan: Plan;
  /** Clo. */
  icl: number;
  /** Clo. */
  iclTarget: number;
  /** Predicted mean vote (ISO 7730): −3 cold to 3 hot. */
  pmv: number;
  /** The vote that the person prefers. */
  pmvGoal: number;
  deviation: number;
  /** Predicted percentage dissatisfied (ISO 7730). */
  ppd: number;
  /** Share of wet skin, 0 to 1; null if it is not hot. */
  wettedness: number | null;
  /** Hours until the body is too cold (ISO 11079); null if it never is. */
  exposureLimitH: number | null;
  regions: Record<string, RegionInsulation>;
}

/** A reason for a score. */
export interface Explanation {
  code: string;
  text: string;
  params: Record<string, string | number>;
}

/** A garment that may serve as the shell. */
export interface ShellItem {
  itemId: string;
  /** Clo still missing with it. */
  residualClo: number;
  score: number;
}

/** What to put on for outside. */
export interface Shell {
  needed: boolean;
  /** Clo. */
  needClo: number;
  /** Clo. */
  needTotalIcl: number;
  /** 0 to 1. */
  waterResistanceMin: number;
  /** 0 to 1. */
  windResistanceMin: number;
  /** Best first. */
  items: ShellItem[];
  /** Hat, scarf and gloves to wear with the first. */
  addIds: string[];
  reasons: string[];
}

/** How good an outfit is, and why. */
export interface OutfitAssessment {
  /** Points: 0 to 100. */
  score: number;
  breakdown: ScoreBreakdown;
  thermal: ThermalReport;
  warnings: string[];
  explanation: Explanation[];
  shell: Shell | null;
}

export interface Outfit extends Candidate, OutfitAssessment {
  name: string;
}

export interface OutfitsResponse extends SearchResponse {
  outfits: Outfit[];
  paramsVersion: string;
}

/** A candidate as `candidates` returned it; only these two members are read. */
export interface ScoredCandidate {
  id: string;
  /** 1 to 18. */
  itemIds: string[];
}

export interface ScoreRequest extends PersonFields {
  /** Unchanged, as `candidates` or `targets` returned them. */
  targets: Targets;
  /** Ignored; accepted for convenience. */
  indoorTargets?: IndoorTargets | undefined;
  /** 1 to 200. */
  candidates: ScoredCandidate[];
  /** Up to 1000. */
  items: WardrobeItem[];
  /** `indoor` by default. */
  plan?: Plan | undefined;
  /** Up to 100. */
  recent?: RecentOutfit[] | undefined;
}

export interface RankedOutfit extends OutfitAssessment {
  candidateId: string;
  /** From 1. */
  rank: number;
  itemIds: string[];
}

export interface ScoreResponse {
  ranked: RankedOutfit[];
  /** The shell of the first. */
  shell: Shell | null;
  paramsVersion: string;
}

/** One hour of a day. */
export interface DayHour {
  /** Returned as it is; up to 40 characters. */
  at?: string | undefined;
  weather: Weather;
  /** Activity, met: 0.7 to 7. */
  met: number;
  /** `outdoor` by default. */
  place?: Plan | undefined;
  /** °C: 5 to 40. */
  indoorTempC?: number | undefined;
}

export interface DayRequest extends PersonFields, WardrobeFields {
  /** 1 to 48. */
  hours: DayHour[];
  /** Language of the name; `en` by default. */
  locale?: Locale | undefined;
}

export interface DayOutfit extends Candidate {
  name: string;
}

/** What is worn in an hour, and what changes before it. */
export interface DayHourResult {
  at?: string;
  wearIds: string[];
  putOnIds: string[];
  takeOffIds: string[];
  /** Clo. */
  icl: number;
  deviation: number;
  /** Predicted percentage dissatisfied (ISO 7730). */
  ppd: number;
  /** 0 to 1. */
  fit: number;
}

export interface WorstHour {
  /** Index in `hours`. */
  hour: number;
  /** 0 to 1. */
  fit: number;
}

export interface DayResponse {
  outfit: DayOutfit | null;
  hours: DayHourResult[];
  worst: WorstHour | null;
  diagnostics: Diagnostic[];
  paramsVersion: string;
}

/** What was worn: either `items` or `icl`. */
export interface WornClothing {
  /** 1 to 20. */
  items?: WardrobeItem[] | undefined;
  /** Insulation of the whole outfit, clo: 0.1 to 6. */
  icl?: number | undefined;
  /** With `icl`: 0 to 1. */
  windResistance?: number | undefined;
}

/** How warm a person felt; it has `vote`, `preference` or both. */
export interface ThermalFeedback {
  /** −3 cold, 0 neutral, 3 hot. */
  vote?: number | undefined;
  preference?: 'warmer' | 'no-change' | 'cooler' | undefined;
  /** −3 cold to 3 hot. */
  regionVotes?: BodyValues | undefined;
  /** Needed for what was felt outdoors. */
  weather?: Weather | undefined;
  /** Activity, met: 0.7 to 7. */
  met: number;
  /** Where it was felt; `indoor` by default. */
  plan?: Plan | undefined;
  /** °C: 5 to 40; needed for what was felt indoors, unless there is `weather`. */
  indoorTempC?: number | undefined;
  /** Time spent there, minutes: 1 to 1440. */
  minutes?: number | undefined;
  worn: WornClothing;
}

export interface CalibrateRequest {
  userProfile?: UserProfile | undefined;
  /** 1 to 100. */
  feedback: ThermalFeedback[];
}

/** What became of one feedback. */
export interface AppliedFeedback {
  /** Index in `feedback`. */
  index: number;
  /** −3 cold to 3 hot. */
  predictedVote: number;
  residual: number;
  /** 0 to 1: low for outliers. */
  weight: number;
  gain: number;
  status: 'applied' | 'downweighted' | 'saturated';
}

export interface CalibrationSummary {
  /** Kelvin. */
  offsetC: number;
  /** Standard deviation of the offset, kelvin. */
  offsetSd: number;
  /** 0 to 1. */
  confidence: number;
  /** Votes so far. */
  n: number;
}

export interface CalibrateResponse {
  /** Store it and send it with the next request. */
  userProfile: UserProfile;
  applied: AppliedFeedback[];
  summary: CalibrationSummary;
}

/** Selects the language of labels. */
export interface MetaQuery {
  /** `en` by default. */
  locale?: Locale | undefined;
}

export interface MetaVersions {
  api: string;
  engine: string;
  params: string;
  dictionary: string;
  contentHash: string;
}

/** An accepted value, its label, and facts such as `offsetC` or `met`. */
export interface MetaEntry extends DictionaryEntry {
  [fact: string]: unknown;
}

export interface MetaDictionaries {
  occasion: MetaEntry[];
  condition: MetaEntry[];
  thermalProfile: MetaEntry[];
  category: MetaEntry[];
  color: MetaEntry[];
  material: MetaEntry[];
  pattern: MetaEntry[];
  season: MetaEntry[];
  metPreset: MetaEntry[];
  layer: MetaEntry[];
  plan: MetaEntry[];
}

export interface MetaCodes {
  warning: string[];
  explanation: string[];
}

/** Labels, accepted values, versions and limits of the outfit engine. */
export interface MetaResponse {
  versions: MetaVersions;
  locale: Locale;
  locales: Locale[];
  dictionaries: MetaDictionaries;
  codes: MetaCodes;
  limits: Record<string, number>;
}

/** Where a coefficient comes from. */
export type CoefficientBasis = 'standard' | 'literature' | 'fitted' | 'judgement';

export interface Coefficient {
  key: string;
  value: number;
  unit: string;
  basis: CoefficientBasis;
  source: string;
}

export interface CoefficientTable {
  unit: string;
  basis: CoefficientBasis;
  source: string;
  rows: unknown[] | Record<string, unknown>;
}

export interface Equation {
  id: string;
  text: string;
}

/** Every coefficient of the outfit engine, with unit and source. */
export interface ParamsResponse {
  version: string;
  model: string;
  issued: string;
  supportedTargetVersions: string[];
  coefficients: Coefficient[];
  tables: Record<string, CoefficientTable>;
  equations: Equation[];
}
