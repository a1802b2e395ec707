/* Generated from the OpenAPI documents and `client-names.json`. To renew it: `UPDATE_CLIENT=1 npm test -- test/contract/openapi/client-types.service.test.ts` */

/** A new batch; its rows are added afterwards. */
export interface CreateBatchRequest {
  /** 1 to 200 characters. */
  name?: string | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: CutOutOptions | undefined;
  retention?: RetentionOptions | undefined;
  /** Notified at the end of the batch. */
  webhook?: Webhook | undefined;
}
export type BatchStatus = 'open' | 'held' | 'sealed' | 'running' | 'finalizing' | 'canceling' | 'completed' | 'canceled' | 'failed' | 'expired';
/** Rows of a batch, counted. */
export interface BatchCounts {
  accepted: number;
  rejected: number;
  /** Accepted, but not assigned to a worker yet. */
  queued: number;
  active: number;
  succeeded: number;
  failed: number;
  /** Not finished when the batch ended. */
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
  archive: string;
  events: string;
  review: string;
  duplicates: string;
}
/** Many images that are processed asynchronously. */
export interface Batch {
  id: string;
  status: BatchStatus;
  name?: string;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  counts: BatchCounts;
  /** How much of the latest upload is stored: resume from `offset`. */
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
  /** Since the end; absent if no row was processed, or by a release without reviews. */
  review?: ReviewCounts;
  /** Since the end; absent if it ended under a release without fingerprints. */
  duplicates?: DuplicateCounts;
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
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  cutout?: CutOut;
  classification?: Classification;
  /** Of batches with the operation `separate`. */
  outfit?: OutfitDescription;
  /** The first row with the same picture, since the end of the processing. */
  duplicateOf?: DuplicateRow;
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
  /** Whether a person should look at it; absent from cut-outs of older releases. */
  review?: CutOutReview;
  /** Only if the options have rules. */
  rules?: RulesReport;
}
/** The cut-out of a garment of a row, to compare with a copy of it. */
export interface ManifestGarment {
  /** Counted from 0. */
  index: number;
  group: GarmentGroup;
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
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  cutout?: ManifestCutOut;
  /** Of batches with the operation `separate`. */
  garments?: ManifestGarment[];
  /** The first row with the same picture, since the end of the processing. */
  duplicateOf?: DuplicateRow;
  problem?: ProblemSummary;
}
/** The problem of a rejected row. */
export interface RejectionReason { type: string; detail: string }
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
  /** Bytes of the upload that are stored; for a form, files; for a feed, images. */
  offset: number;
  /** The first ten rejected rows. */
  errors: RejectedRow[];
  warnings: string[];
}
/** What was worn: either `items` or `icl`. */
export interface WornClothing {
  /** 1 to 20. */
  items?: WardrobeItem[] | undefined;
  /** Of the whole outfit, clo: 0.1 to 6. */
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
  /** Activity, met; 1 is sitting: 0.7 to 7. */
  met: number;
  /** Where it was felt; default `indoor`. */
  plan?: Plan | undefined;
  /** °C: 5 to 40; needed for what was felt indoors, unless there is `weather`. */
  indoorTempC?: number | undefined;
  /** Time spent there: 1 to 1440. */
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
/** * What a feed says of an article, under the names of the Google Merchant feed. Other columns are ignored and listed in `warnings`. */
export interface FeedAttributes {
  /** Your id; becomes the wardrobe item’s id: up to 128 characters. */
  id?: string | undefined;
  /** Up to 300 characters. */
  title?: string | undefined;
  /** Up to 5000 characters. */
  description?: string | undefined;
  /** Your own path, such as `Men > Shirts`: up to 750 characters. */
  product_type?: string | undefined;
  /** An id or a path of the Google Product Taxonomy. */
  google_product_category?: string | number | undefined;
  /** Up to 100 characters. */
  brand?: string | undefined;
  /** Up to 200 characters. */
  color?: string | undefined;
  /** With shares, or `cotton/polyester`: up to 500 characters. */
  material?: string | undefined;
  /** Up to 200 characters. */
  pattern?: string | undefined;
  /** Up to 100 characters. */
  size?: string | undefined;
  /** Up to 50 characters. */
  gender?: string | undefined;
  /** Up to 50 characters. */
  age_group?: string | undefined;
  /** BCP 47, such as `de-AT`; detected if absent: up to 35 characters. */
  language?: string | undefined;
  /** Up to 50 characters. */
  sleeve_length?: string | undefined;
  /** `light`, `medium` or `heavy`: up to 50 characters. */
  weight?: string | undefined;
  [extra: string]: unknown;
}
/** How a classification is done. */
export interface ClassifyOptions {
  /** Default `5`: 1 to 10. */
  topK?: number | undefined;
  /** Below it the status is `uncertain`: a group, no category. Default `0.5`: 0 to 1. */
  minConfidence?: number | undefined;
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
  /** Default `true`. */
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
  /** 0 to 1. */
  confidence: number;
  source: 'text' | 'model' | 'fused';
}
/** A category that the garment may have. */
export interface CategoryCandidate {
  id: string;
  label: string;
  /** 0 to 1. */
  confidence: number;
}
/** Classes of the image model. */
export type ImageClass = 't-shirt' | 'longsleeve' | 'tank-top' | 'polo' | 'shirt' | 'blouse' | 'bodysuit' | 'sweater' | 'hoodie' | 'vest' | 'blazer' | 'outwear' | 'coat' | 'dress' | 'skirt' | 'pants' | 'jeans' | 'leggings' | 'shorts' | 'tights' | 'shoes' | 'boots' | 'heels' | 'sandals' | 'flats' | 'hat' | 'scarf' | 'belt' | 'socks' | 'bag' | 'sunglasses' | 'other';
/** What the photo says. */
export interface ImageEvidence {
  class: ImageClass;
  /** 0 to 1. */
  confidence: number;
  calibrated: true;
}
/** A word that was recognised. */
export interface TextMatch {
  /** The column. */
  field: string;
  /** As the column has it. */
  match: string;
  /** UTF-16 units, end excluded: 2 of them. */
  span: number[];
  language: Locale;
}
/** What the text says. */
export interface TextEvidence {
  category: string | null;
  /** 0 to 1. */
  confidence: number;
  /** That the text sells no garment: 0 to 1. */
  notGarment: number;
  /** If `notGarment` leads, what it seems to be: pet, home, part, … */
  thing: string | null;
  language: Locale | null;
  matches: TextMatch[];
  /** Columns that file the article elsewhere than the title. */
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
  /** What your people have decided about such articles, or about this one. */
  learned?: LearnedEvidence;
}
/** Where an attribute comes from; `default` is the usual value of the category. */
export type AttributeSource = 'measured' | 'text' | 'model' | 'default';
export interface ClassifiedWord { id: string; source: AttributeSource }
export interface ClassifiedMaterial extends ClassifiedWord {
  /** 0 to 1. */
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
  /** 0 to 1. */
  share?: number;
  /** CIELAB, D65: 3 of them. */
  lab?: number[];
  /** CIEDE2000 from the family’s prototype. */
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
export interface ClassifiedSeasons { ids: string[]; source: AttributeSource }
export interface ClassifiedAttributes {
  colors: ClassifiedColor[];
  /** One family for all colours together. */
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
export interface InsulationSource { table: string; entry?: string; note?: string }
/** Factors that an insulation value was multiplied by. */
export interface InsulationFactors { material: number; sleeve: number }
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
export interface TaxonomyMappings { shopify: string | null; google: number | null }
export type ReviewReason = 'low-confidence' | 'photo-alone' | 'image-text-disagree' | 'text-category-disagree' | 'language-not-supported' | 'not-a-garment' | 'multiple-garments' | 'too-small' | 'colour-mismatch' | 'material-missing';
/** A reason in the language of the response. */
export interface ReviewText { code: ReviewReason; text: string }
export interface Review {
  needed: boolean;
  reasons: ReviewReason[];
  /** The reasons in the language of the response. */
  explanation: ReviewText[];
}
/** What a garment is. */
export interface Classification {
  /** A category; only its group; or no garment the dictionary has. */
  status: 'classified' | 'uncertain' | 'unknown';
  /** False if it is something else (a watch, a phone case); null if unknown. */
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
  items?: WardrobeItem[];
  review: Review;
  warnings: string[];
  /** Of what is cut out: the name of its format and 64 bytes in base64url. Alike for copies of a picture that were recompressed, scaled, cropped a little or mirrored. Absent without a photo or subject, and from results of older releases. */
  fingerprint?: string;
}
export type ClassifyResponse = Classification & { requestId: string };
/** One hour of a day. */
export interface DayHour {
  /** Returned unchanged: up to 40 characters. */
  at?: string | undefined;
  weather: Weather;
  /** Activity, met; 1 is sitting: 0.7 to 7. */
  met: number;
  /** Default `outdoor`. */
  place?: 'outdoor' | 'indoor' | undefined;
  /** °C: 5 to 40. */
  indoorTempC?: number | undefined;
}
export interface DayRequest {
  /** Instead of `forecast`: 1 to 48. */
  hours?: DayHour[] | undefined;
  /** Of Open-Meteo or MET Norway, as it comes; read outdoors, with `met`. */
  forecast?: Forecast | undefined;
  /** Default: the first with all hours that count. */
  date?: string | undefined;
  /** Activity, met; 1 is sitting: 0.7 to 7. */
  met?: number | undefined;
  userProfile?: UserProfile | undefined;
  /** clo to add: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  /** Up to 64 characters. */
  occasion?: string | undefined;
  items: WardrobeItem[];
  /** Another choice among equal items; the same seed gives the same response. */
  seed?: number | undefined;
  /** Ids of items that every outfit must contain; if no outfit can, there is none: up to 6. */
  must?: string[] | undefined;
  /** Like `must`, but items that cannot be worn together are rejected: up to 16. */
  pin?: string[] | undefined;
  /** Up to 1000. */
  exclude?: string[] | undefined;
  /** Parts of the body that every outfit covers: up to 4. */
  coverage?: Coverage[] | undefined;
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
}
export interface DayOutfit extends Candidate { name: string }
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
  /** The layers worn in each hour, and the changes before it. */
  hours: DayHourResult[];
  worst: WorstHour | null;
  diagnostics: Diagnostic[];
  paramsVersion: string;
}
/** Selects parts of the dictionary. */
export interface TaxonomyOptionsQuery {
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
  /** Comma-separated: categories, colours, materials, patterns, attributes, profile; all if absent. */
  sections?: string | undefined;
  /** The version of the dictionary; the latest by default. */
  version?: string | undefined;
}
/** An id of the dictionary and its label in the language asked for. */
export interface DictionaryEntry { id: string; label: string }
export interface DictionaryLayer {
  id: Layer;
  label: string;
  /** From the skin outwards; null for layers without an order. */
  order: number | null;
}
export interface DictionaryGroup extends DictionaryEntry { region: Region | null }
/** Effective insulation Iclu of a category (ISO 9920), clo. */
export interface CategoryInsulation {
  default: number;
  min: number;
  max: number;
  confidence: string;
  sources: InsulationSource[];
}
/** From 0 lounge to 5 formal. */
export interface FormalityRange { min: number; max: number }
/** Ids of a category in other taxonomies. */
export interface CategoryMappings { shopify: string; google: number }
export interface DictionaryCategory extends DictionaryEntry {
  groupId: string;
  region: Region;
  layer: Layer;
  bodySlot: string;
  /** Whether the outfit engine uses it. */
  lookEligible: boolean;
  clo: CategoryInsulation;
  formality: FormalityRange;
  /** Empty: worn all year. */
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
export interface DictionaryAttribute { id: string | number; label: string }
export interface ThermalProfileEntry extends DictionaryEntry {
  /** Kelvin. */
  offsetC: number;
}
/** Bounds of a setting. */
export interface SettingRange { min: number; max: number; step: number; unit: string }
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
  /** Of the image model; `modelVersion` of a classification. */
  version: string;
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
/** How many rows have the same picture. */
export interface DuplicateCounts {
  /** Rows whose pictures were compared. */
  compared: number;
  groups: number;
  /** Rows that repeat the picture of an earlier one. */
  rows: number;
}
/** One row of a group, or the first row with the same picture as another. */
export interface DuplicateRow {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds: of its product, 0 is the main one. */
  image?: number;
  /** Of the two pictures, in thousandths: 0.9 and more is the same picture: 0 to 1. */
  similarity: number;
}
/** A group of rows with the same picture, by its first row. */
export interface DuplicateGroup {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds: of its product, 0 is the main one. */
  image?: number;
  /** Rows of the group, this first one included. */
  rows: number;
  /** The next 19 rows at most, in upload order. */
  duplicates: DuplicateRow[];
}
/** The link to the next page. */
export interface DuplicatesLinks { next: string }
/** One page of the groups. */
export interface DuplicatesPage {
  duplicates: DuplicateCounts;
  groups: DuplicateGroup[];
  /** Absent on the last page. */
  links?: DuplicatesLinks;
}
/** Default `auto`. */
export type FeedFormat = 'auto' | 'rss' | 'atom' | 'xml' | 'tsv' | 'csv' | 'ndjson' | 'json';
/** A kind of export that is recognised by its columns. */
export type FeedPreset = 'google' | 'plain' | 'shopify' | 'wix' | 'squarespace' | 'woocommerce' | 'magento' | 'prestashop' | 'awin' | 'criteo' | 'idealo' | 'heureka' | 'shopify-json';
/** What protected servers of a feed and its images need. Secrets are stored encrypted and not shown again. */
export interface FeedAccess {
  /** Of basic authentication: up to 200 characters. */
  username?: string | undefined;
  /** Up to 1000 characters. */
  password?: string | undefined;
  /** Such as a token: `{"X-Api-Key": "…"}`. */
  headers?: Record<string, string> | undefined;
  /** The only server that gets them, `https://shop.example`; by default that of `url`: up to 300 characters. */
  origin?: string | undefined;
  /** Sent to every server of the feed: up to 300 characters. */
  userAgent?: string | undefined;
  /** Up to 1000 characters. */
  referer?: string | undefined;
}
/** What is changed of a feed; null removes it. */
export interface FeedEdit {
  format?: FeedFormat | undefined;
  mapping?: FeedMapping | null | undefined;
  access?: FeedAccess | null | undefined;
  options?: { quality?: Quality | undefined } | undefined;
  schedule?: string | null | undefined;
  webhook?: Webhook | null | undefined;
}
/** Where the rows of a feed have what is read; what is not given is recognised. */
export interface FeedMapping {
  preset?: FeedPreset | undefined;
  /** The column, key or element with the id; `@id` is an attribute: up to 200 characters. */
  id?: string | undefined;
  /** The one with the image link; `a/b` is `b` within `a`: up to 200 characters. */
  image?: string | undefined;
  /** Those with further image links: up to 20. */
  images?: string[] | undefined;
  /** Up to 200 characters. */
  title?: string | undefined;
  /** Up to 200 characters. */
  category?: string | undefined;
  /** The path of the rows in XML or JSON: `products/product`: up to 200 characters. */
  items?: string | undefined;
  /** Between the links in one value: up to 5 characters. */
  separator?: string | undefined;
  /** What relative links follow; a slash between them is added: up to 1000 characters. */
  baseUrl?: string | undefined;
  /** Whether rows with the same id, one after the other, are one product. */
  group?: boolean | undefined;
}
/** Something that was read although it is not written as it should be. */
export interface FeedNote {
  code: string;
  detail: string;
  /** The first line that has it, from 1. */
  line: number;
  count: number;
}
/** What was recognised in the beginning of a feed. */
export interface FeedInspection {
  format?: 'rss' | 'atom' | 'xml' | 'tsv' | 'csv' | 'ndjson' | 'json';
  /** The kind of export that fits. */
  preset?: string;
  encoding?: string;
  /** The path of the rows in XML or JSON. */
  items?: string;
  /** Whether a product may have several rows. */
  group?: boolean;
  /** What is read from which columns, by their own names. */
  columns: Record<string, string[]>;
  /** All columns of the header or the first rows. */
  labels: string[];
  /** Products that were looked at, the first thousand. */
  rows: number;
  rejected: number;
  sample: ({ line: number; id: string; title?: string; images: string[] })[];
  rejections: ({ line: number; id?: string; detail: string })[];
  notes: FeedNote[];
  /** Why the feed cannot be read, or not further, and what to do. */
  problem?: { reason: string; detail: string };
}
/** How the images of a feed are cut out. */
export interface FeedImageOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** Which part of the subject is shown; with `garment` the one that the row sells. `all` by default. */
  subject?: Subject | undefined;
  /** Judges the output by this rule pack, such as `amazon-main`. */
  rules?: string | undefined;
  /** Makes right what can be made right without inventing pixels, before it is judged. Requires `rules`. Default `false`. */
  fixRules?: boolean | undefined;
  /** `keep`: images that are transparent somewhere keep their alpha. `replace` by default. */
  alpha?: AlphaMode | undefined;
  /** The name of a preset of yours: its options apply where you send none. */
  preset?: string | undefined;
}
/** How the exported images look. */
export interface FeedExportOptions {
  /** The background of the pictures: a colour, or none. */
  background?: string | undefined;
}
/** How long runs and their images are retained. */
export interface FeedRetentionOptions {
  /** How long a run is retained after its end, and the pictures after the end of the last run. Default `31536000`: 3600 to 34560000. */
  outputSeconds?: number | undefined;
}
/** A feed that the service reads from a URL. */
export interface CreateFeedFromUrlRequest {
  /** http or https, without a user name or password; fetched by each run, from public IP addresses only: up to 2048 characters. */
  url: string;
  /** Default `auto`. */
  format?: FeedFormat | undefined;
  /** Recognised by default. */
  mapping?: FeedMapping | undefined;
  access?: FeedAccess | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: FeedImageOptions | undefined;
  /** A cron expression with five fields, in UTC: `30 4 * * *` is every day at 04:30: up to 100 characters. */
  schedule?: string | undefined;
  export?: FeedExportOptions | undefined;
  retention?: FeedRetentionOptions | undefined;
  /** Notified at the end of each run. */
  webhook?: Webhook | undefined;
}
/** What is asked of a feed that is sent as the body. */
export interface FeedUploadOptions extends FeedImageOptions {
  /** Default `auto`. */
  format?: FeedFormat | undefined;
  /** As in the JSON of a feed, as one JSON object. */
  mapping?: FeedMapping | undefined;
  /** Up to 200 characters. */
  fileName?: string | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  /** The background of the pictures: a colour, or none. */
  background?: string | undefined;
  /** How long a run is retained after its end, and the pictures after the end of the last run. Default `31536000`: 3600 to 34560000. */
  outputSeconds?: number | undefined;
  /** http or https; public IP addresses only, redirects are not followed: up to 1024 characters. */
  webhookUrl?: string | undefined;
}
/** Rows and images of a feed run, counted. */
export interface FeedRunCounts {
  /** Rows of the feed, including rejected ones. */
  rows: number;
  /** Images to process; a row may have several. */
  images: number;
  /** The same as in the previous run; they cost nothing. */
  unchanged: number;
  /** Their source cannot be read: the last good picture stays, and so do its link and its review. */
  stale: number;
  /** Processed successfully. */
  changed: number;
  succeeded: number;
  failed: number;
  /** Invalid rows of the feed. */
  rejected: number;
  /** Units of the quota that the run has used. */
  units: number;
}
/** How much of what there was is lost. */
export interface FeedShare { before: number; lost: number }
/** What a run has lost of the last completed one. */
export interface FeedLoss {
  /** Products with a good picture or classification. */
  rows: FeedShare;
  pictures: FeedShare;
  /** The first products that are missing. */
  first: ({ id: string; title?: string })[];
}
/** What a run would do, counted before an image is fetched. */
export interface FeedPlan {
  products: number;
  /** Images of all products. */
  links: number;
  /** Different links. */
  photos: number;
  /** Rows that are rejected. */
  unreadable: number;
  /** At most. */
  units: number;
  loss: FeedLoss;
}
/** Paths on the service. */
export interface FeedRunLinks {
  self: string;
  report: string;
  export: string;
  review: string;
  duplicates: string;
  cancel: string;
  confirm: string;
  feed: string;
}
/** One import of a feed. */
export interface FeedRun {
  id: string;
  feedId: string;
  /** `open` while the feed is being read. */
  status: BatchStatus;
  counts: FeedRunCounts;
  /** How many images failed or are stale, and rows were rejected, by reason. */
  reasons: Record<string, number>;
  createdAt: string;
  finishedAt?: string;
  /** When results and records are deleted. */
  expiresAt: string;
  problem?: ProblemSummary;
  /** Of a dry run, at its end. */
  plan?: FeedPlan;
  /** What a `held` run would lose of the last one: nothing changes until you confirm it, or until another run. */
  held?: FeedLoss;
  /** Since the end; absent if no row was processed, or by a release without reviews. */
  review?: ReviewCounts;
  /** Since the end; absent if it ended under a release without fingerprints. */
  duplicates?: DuplicateCounts;
  links: FeedRunLinks;
}
/** A feed that was read from a URL. */
export interface FeedUrlSource { url: string }
/** A feed that was sent as a body. */
export interface FeedUploadSource { uploaded: true; fileName?: string }
/** Paths on the service. */
export interface FeedLinks { self: string; runs: string; export: string }
/** The retention in effect. */
export interface FeedRetention {
  /** Seconds after the end of a run. */
  outputSeconds: number;
}
/** Scheduled runs do not start. */
export interface FeedSchedulePause {
  since: string;
  /** What happened, and how to resume. */
  reason: string;
}
/** A retailer's product feed. */
export interface Feed {
  id: string;
  source: FeedUrlSource | FeedUploadSource;
  format: FeedFormat;
  mapping?: FeedMapping;
  /** What its server is sent; of secrets only the names of the headers. */
  access?: { origin: string; headers: string[]; userAgent?: string; referer?: string };
  operations: Operation[];
  options?: AppliedCutOutOptions;
  /** Cron, UTC. */
  schedule?: string;
  /** Scheduled runs do not start. */
  schedulePaused?: FeedSchedulePause;
  export: FeedExportOptions;
  retention: FeedRetention;
  webhook?: Webhook;
  createdAt: string;
  /** The latest run. */
  run?: FeedRun;
  /** Run ids, newest first. */
  runs: string[];
  lastCompletedRunId?: string;
  links: FeedLinks;
}
/** The first line of a report: the run itself. */
export type FeedReportRun = FeedRun & { kind: 'run' };
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
  outcome: 'changed' | 'unchanged' | 'stale' | 'failed' | 'not-done';
  reason?: string;
  /** Since when its source cannot be read. */
  staleSince?: string;
  /** Of its cut-out; absent if there is none, or if an older release made it. */
  review?: CutOutReview;
  /** How often people have mended its cut-out; absent if it is as it was made. */
  refinements?: number;
  /** The first row with the same picture, since the end of the processing. */
  duplicateOf?: DuplicateRow;
  /** Only if the options have rules. */
  rules?: RulesReport;
  /** A link to the new picture. */
  picture?: string;
  /** Its garments, if the feed has the operation `separate`. */
  outfit?: OutfitDescription;
}
/** A product of the feed. */
export interface FeedReportProduct {
  kind: 'product';
  id: string;
  title?: string;
  /** Line of the feed, from 1. */
  line: number;
  images: FeedReportImage[];
  /** Of the row and its image; only in feeds with the operation `classify`. */
  classification?: Classification;
  notes: string[];
}
/** The last line of a report, if there is anything to note. */
export interface FeedReportNotes { kind: 'notes'; notes: FeedNote[] }
/** One line of a feed report: the run, each row, then what was noted. */
export type FeedReportLine = FeedReportRun | FeedReportProduct | FeedReportRejection | FeedReportNotes;
/** A response of api.open-meteo.com with these hourly variables, times as ISO 8601; other members are ignored. */
export interface OpenMeteoForecast {
  hourly: OpenMeteoHours;
  /** °C and km/h by default. */
  hourly_units?: OpenMeteoUnits | undefined;
}
/** Values by hour; null is a gap. */
export interface OpenMeteoHours {
  /** 1 to 1000. */
  time: string[];
  /** Up to 1000. */
  temperature_2m: (number | null)[];
  /** Up to 1000. */
  relative_humidity_2m?: (number | null)[] | undefined;
  /** Up to 1000. */
  wind_speed_10m: (number | null)[];
  /** Of the World Meteorological Organization. */
  weather_code?: (number | null)[] | undefined;
  /** Up to 1000. */
  wind_gusts_10m?: (number | null)[] | undefined;
  /** Up to 1000. */
  is_day?: (number | null)[] | undefined;
}
export interface OpenMeteoUnits {
  /** Up to 16 characters. */
  temperature_2m?: string | undefined;
  /** Up to 16 characters. */
  wind_speed_10m?: string | undefined;
}
/** A response of api.met.no, Locationforecast; other members are ignored. */
export interface MetNorwayForecast { properties: MetNorwayProperties }
export interface MetNorwayProperties {
  /** 1 to 1000. */
  timeseries: MetNorwayStep[];
}
export interface MetNorwayStep {
  /** UTC. */
  time: string;
  data: MetNorwayData;
}
export interface MetNorwayData {
  instant: MetNorwayInstant;
  next_1_hours?: MetNorwayPeriod | undefined;
  next_6_hours?: {
    summary: {
      /** Up to 64 characters. */
      symbol_code: string;
    };
  } | undefined;
}
export interface MetNorwayInstant { details: MetNorwayDetails }
export interface MetNorwayDetails {
  /** °C. */
  air_temperature?: number | undefined;
  /** Percent. */
  relative_humidity?: number | undefined;
  /** Metres per second. */
  wind_speed?: number | undefined;
  wind_speed_of_gust?: number | undefined;
}
export interface MetNorwayPeriod { summary: MetNorwaySummary }
export interface MetNorwaySummary {
  /** Up to 64 characters. */
  symbol_code: string;
}
/** A response of api.openweathermap.org; its steps are in one of the two. */
export interface OpenWeatherForecast {
  /** 1 to 1000. */
  list?: (Record<string, unknown>)[] | undefined;
  /** 1 to 1000. */
  hourly?: (Record<string, unknown>)[] | undefined;
}
/** A response of api.brightsky.dev. */
export interface BrightSkyForecast {
  /** 1 to 1000. */
  weather: (Record<string, unknown>)[];
}
/** What weather.get_forecasts returns for one entity. */
export interface HomeAssistantForecast {
  /** 1 to 1000. */
  forecast: (Record<string, unknown>)[];
  /** Up to 16 characters. */
  temperature_unit?: string | undefined;
  /** Up to 16 characters. */
  wind_speed_unit?: string | undefined;
}
/** Units that a service does not name. */
export interface ForecastUnits {
  temp?: 'C' | 'F' | 'K' | undefined;
  wind?: 'm/s' | 'km/h' | 'mph' | 'kn' | undefined;
}
/** A forecast of one service, and which hours of a day count. */
export interface Forecast {
  /** A response of api.open-meteo.com, unchanged, with these hourly variables and times as ISO 8601. */
  openMeteo?: OpenMeteoForecast | undefined;
  /** A response of api.met.no, Locationforecast, unchanged. */
  metNorway?: MetNorwayForecast | undefined;
  /** A response of api.openweathermap.org, unchanged, with a `list` of steps or the `hourly` of One Call. It does not name its units: K and m/s, unless `units` says otherwise. */
  openWeather?: OpenWeatherForecast | undefined;
  /** A response of api.brightsky.dev/weather, forecasts of the DWD, unchanged. */
  brightSky?: BrightSkyForecast | undefined;
  /** What `weather.get_forecasts` of Home Assistant returns for one entity, hourly, and of its attributes `temperature_unit` and `wind_speed_unit`; °C and km/h by default. */
  homeAssistant?: HomeAssistantForecast | undefined;
  /** Units of a forecast of OpenWeather or Home Assistant. */
  units?: ForecastUnits | undefined;
  /** Local time of times in UTC; others are local already: −840 to 840. */
  utcOffsetMinutes?: number | undefined;
  /** First hour of a day that counts; default 7: 0 to 23. */
  fromHour?: number | undefined;
  /** End of the last hour that counts; default 22: 1 to 24. */
  toHour?: number | undefined;
}
/** Language of labels and names. */
export type Locale = 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl';
/** Part of the body that a garment covers. */
export type Region = 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';
/** Layer that a garment is worn in. */
export type Layer = 'underwear' | 'base' | 'mid' | 'outer' | 'footwear' | 'accessory';
/** Place on the body that a garment takes. */
export type BodySlot = 'head' | 'eyes' | 'neck' | 'torso' | 'waist' | 'hands' | 'legs' | 'feet' | 'full' | 'carry';
/** What is done to an image. */
export type Operation = 'remove-background' | 'classify' | 'separate';
/** How long results are retained. */
export interface RetentionOptions {
  /** How long results are retained after the end of the job. Default `86400`: 60 to 604800. */
  outputSeconds?: number | undefined;
}
/** Receives an event when the work ends; see Standard Webhooks 1.0. */
export interface Webhook {
  /** http or https; public IP addresses only, redirects are not followed: up to 1024 characters. */
  url: string;
}
/** What a job is created with, in JSON. */
export interface JobRequest {
  /** Base64 or a data URL. */
  imageBase64?: string | undefined;
  /** http or https, without a user name or password; fetched once, from public IP addresses only: up to 2048 characters. */
  imageUrl?: string | undefined;
  /** The same as base64 or a data URL; the body contains both images. */
  backgroundImageBase64?: string | undefined;
  operations?: Operation[] | undefined;
  retention?: RetentionOptions | undefined;
  options?: CutOutOptions | undefined;
  /** Notified at the end of the job. */
  webhook?: Webhook | undefined;
}
export type JobStatus = 'queued' | 'active' | 'succeeded' | 'failed' | 'canceled' | 'expired';
export interface JobResults {
  cutout?: CutOut;
  classification?: Classification;
  /** Of jobs with the operation `separate`. */
  outfit?: OutfitDescription;
}
/** Paths on the service. */
export interface JobLinks { self: string; result: string; cancel: string }
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
  /** How often its cut-out was mended; absent if never. */
  refinements?: number;
  webhook?: Webhook;
  links: JobLinks;
}
/** Proof of a deletion. */
export interface DeletionReceipt {
  id: string;
  erasedAt: string;
  /** Images, rows and results; where the storage keeps versions, all their versions. */
  blobs: number;
  /** The storage may keep versions of them that cannot be deleted; else absent. */
  incomplete?: true;
}
/** Selects the language of labels. */
export interface MetaQuery {
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
}
export interface MetaVersions {
  api: string;
  engine: string;
  params: string;
  dictionary: string;
  /** Of the garment dictionary; equals `dictionary`. */
  taxonomy: string;
  contentHash: string;
}
/** An accepted value, its label, and facts such as `offsetC` or `met`. */
export interface MetaEntry extends DictionaryEntry { [extra: string]: unknown }
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
  warning: MetaEntry[];
  /** Texts of the codes, with `{name}` for each value. */
  explanation: MetaEntry[];
}
export interface MetaCodes { warning: string[]; explanation: string[] }
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
export interface Equation { id: string; text: string }
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
/** What the parse network tells apart. */
export type GarmentGroup = 'top' | 'shirt_blouse' | 'knit_sweat' | 'vest' | 'jacket_blazer' | 'coat' | 'dress_onepiece' | 'skirt' | 'trousers_jeans' | 'leggings_tights' | 'shorts' | 'shoes' | 'boots' | 'socks' | 'bag' | 'hat' | 'scarf_tie' | 'belt' | 'small_things';
/** A group that a garment may be. */
export interface GarmentGroupCandidate {
  group: GarmentGroup;
  /** 0 to 1. */
  confidence: number;
}
/** The cut-out of a garment, a PNG of the size of its box. */
export interface GarmentCutOut {
  /** Its name in the archive. */
  file?: string;
  /** Its address, in jobs and batches. */
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
  /** That its pixels are this group or one easily taken for it: 0 to 1. */
  confidence: number;
  /** In pixels of the upright photo: the smallest that contains what is visible. */
  box: Rectangle;
  /** Share of the subject: 0 to 1. */
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
export interface PhotoSize { width: number; height: number }
/** Whether a person should look at the garments of a photo, and why. */
export interface OutfitReview {
  needed: boolean;
  /** `no-garment`, `several-people`, `too-small`, `garments-unsure`, `category-guessed`, or a reason of cut-outs. More may be added. */
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
  /** In the outline of the whole subject: 0 to 1. */
  confidence: number;
  garments: OutfitGarment[];
  /** Of what is cut out: the name of its format and 64 bytes in base64url. Alike for copies of a picture that were recompressed, scaled, cropped a little or mirrored. Absent without a photo or subject, and from results of older releases. */
  fingerprint?: string;
  review: OutfitReview;
}
export interface CandidatesRequest extends TargetsRequest {
  items: WardrobeItem[];
  /** `indoor` (default) dresses for the room and adds a shell for outside. */
  plan?: Plan | undefined;
  /** Another choice among equal items; the same seed gives the same response. */
  seed?: number | undefined;
  /** Ids of items that every outfit must contain; if no outfit can, there is none: up to 6. */
  must?: string[] | undefined;
  /** Like `must`, but items that cannot be worn together are rejected: up to 16. */
  pin?: string[] | undefined;
  /** Up to 1000. */
  exclude?: string[] | undefined;
  /** Parts of the body that every outfit covers: up to 4. */
  coverage?: Coverage[] | undefined;
  /** 1 to 200. */
  limit?: number | undefined;
}
/** `separates` are a top and a bottom; `one-piece` is a dress or the like. */
export type OutfitForm = 'separates' | 'one-piece';
/** Ids of the items worn, by place in the outfit. */
export type OutfitSlots = Partial<Record<'outer' | 'mid' | 'main' | 'over' | 'bottom' | 'shoes' | 'underTop' | 'underBottom' | 'socks' | 'head' | 'neck' | 'hands' | 'belt' | 'tie' | 'eyes' | 'bag', string>>;
/** Items worn together. */
export interface Candidate { id: string; itemIds: string[]; form: OutfitForm; slots: OutfitSlots }
export interface CandidatesResponse extends TargetsResponse {
  plan: Plan;
  /** Why the outfits are for this plan, and the activity there. */
  place: {
    met: number;
    why: 'plan' | 'occasion' | 'activity' | 'indoor-temperature' | 'default';
    text: string;
  };
  /** Whether the search ended before it was complete. */
  truncated: boolean;
  /** Points by which an outfit not found could be better; 0: proved optimal. */
  gap: number;
  candidates: Candidate[];
  /** Exact number of valid outfits. */
  totalValid: string;
}
/** An outfit worn lately; other outfits are preferred. */
export interface RecentOutfit {
  /** 1 to 12. */
  itemIds: string[];
  /** 0 to 3650. */
  daysAgo: number;
}
export interface OutfitsRequest extends TargetsRequest {
  items: WardrobeItem[];
  /** `indoor` (default) dresses for the room and adds a shell for outside. */
  plan?: Plan | undefined;
  /** Another choice among equal items; the same seed gives the same response. */
  seed?: number | undefined;
  /** Ids of items that every outfit must contain; if no outfit can, there is none: up to 6. */
  must?: string[] | undefined;
  /** Like `must`, but items that cannot be worn together are rejected: up to 16. */
  pin?: string[] | undefined;
  /** Up to 1000. */
  exclude?: string[] | undefined;
  /** Parts of the body that every outfit covers: up to 4. */
  coverage?: Coverage[] | undefined;
  /** 1 to 20. */
  limit?: number | undefined;
  /** Instead of `limit`: so many outfits, any two of which share at most half of their visible pieces: 2 to 7. */
  variety?: number | undefined;
  /** Outfits worn recently; others are ranked first: up to 100. */
  recent?: RecentOutfit[] | undefined;
}
/** Components of a score, each 0 to 1. */
export interface ScoreBreakdown {
  /** 0 to 1. */
  thermal: number;
  /** 0 to 1. */
  regions: number;
  /** 0 to 1. */
  protection: number;
  /** 0 to 1. */
  occasion: number;
  /** 0 to 1. */
  color: number;
  /** 0 to 1. */
  season: number;
  /** 0 to 1. */
  variety: number;
  /** Share of the score lost to rules of common sense and to warmth nobody bears. */
  penalty: number;
}
/** Insulation in a region, clo. */
export interface RegionInsulation { clo: number; target: number }
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
export interface Explanation { code: string; text: string; params: Record<string, number | string> }
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
  /** Hat, scarf and gloves to wear with the first item. */
  addIds: string[];
  reasons: string[];
}
export interface Outfit extends Candidate {
  /** From 1: the order of the list. */
  rank: number;
  name: string;
  /** 0 to 100. */
  score: number;
  breakdown: ScoreBreakdown;
  thermal: ThermalReport;
  warnings: string[];
  explanation: Explanation[];
  shell: Shell | null;
}
export interface OutfitsResponse extends TargetsResponse {
  plan: Plan;
  /** Why the outfits are for this plan, and the activity there. */
  place: {
    met: number;
    why: 'plan' | 'occasion' | 'activity' | 'indoor-temperature' | 'default';
    text: string;
  };
  /** Whether the search ended before it was complete. */
  truncated: boolean;
  /** Points by which an outfit not found could be better; 0: proved optimal. */
  gap: number;
  outfits: Outfit[];
  paramsVersion: string;
}
/** A candidate as `candidates` returned it; only these two members are read. */
export interface ScoredCandidate {
  id: string;
  /** 1 to 18. */
  itemIds: string[];
}
export interface ScoreRequest {
  /** Unchanged, as returned. */
  targets: Targets;
  /** Ignored; accepted for convenience. */
  indoorTargets?: IndoorTargets | undefined;
  /** 1 to 200. */
  candidates: ScoredCandidate[];
  /** Up to 1000. */
  items: WardrobeItem[];
  /** Of the targets; those of /targets have none and take `indoor` by default. */
  plan?: Plan | undefined;
  /** Outfits worn recently; others are ranked first: up to 100. */
  recent?: RecentOutfit[] | undefined;
  userProfile?: UserProfile | undefined;
  /** clo to add: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  /** Up to 64 characters. */
  occasion?: string | undefined;
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
}
export interface RankedOutfit {
  candidateId: string;
  /** From 1. */
  rank: number;
  itemIds: string[];
  /** 0 to 100. */
  score: number;
  breakdown: ScoreBreakdown;
  thermal: ThermalReport;
  warnings: string[];
  explanation: Explanation[];
  shell: Shell | null;
}
export interface ScoreResponse {
  ranked: RankedOutfit[];
  /** The shell of the first. */
  shell: Shell | null;
  paramsVersion: string;
}
/** Options that a preset can have: all but the name of another. */
export interface PresetOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** `jpeg` has no transparency and gets a white background. Default `png`. */
  format?: ImageFormat | undefined;
  /** `alpha` returns the matte alone, as an 8-bit grayscale image. Default `rgba`. */
  channels?: 'rgba' | 'alpha' | undefined;
  /** `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour: up to 40 characters. */
  backgroundColor?: string | undefined;
  /** An image that covers the canvas; public addresses only: up to 2048 characters. */
  backgroundImageUrl?: string | undefined;
  /** Crop to the bounding box of the subject. Default `false`. */
  crop?: boolean | undefined;
  /** `30px` or `10%` of the bounding box; 1, 2 or 4 values as in CSS. Requires `crop`. */
  cropMargin?: string | undefined;
  /** Share of the canvas that the subject fits in: `10%` to `100%`, or `original`. Default `original`. */
  scale?: string | undefined;
  /** `original`, `center` (the default with `scale`), or `x% y%` of the free space. */
  position?: string | undefined;
  /** `x1 y1 x2 y2` in px or %: the region to search for the subject. */
  roi?: string | undefined;
  /** A larger output is scaled down to this many million pixels: 0.01 to 1000. */
  maxOutputMegapixels?: number | undefined;
  /** `drop`: a soft shadow is drawn; `keep`: the soft shadow of the photo stays, on an even backdrop. Default `none`. */
  shadow?: 'none' | 'drop' | 'keep' | undefined;
  /** Requires `shadow` `drop`. Default `50`: 0 to 100. */
  shadowOpacityPct?: number | undefined;
  /** `false`: the subject is opaque except for its outline. Default `true`. */
  semitransparency?: boolean | undefined;
  /** Which part of the subject is shown; `all` by default. */
  subject?: Subject | undefined;
  /** Judges the output by this rule pack, such as `amazon-main`. */
  rules?: string | undefined;
  /** Makes right what can be made right without inventing pixels, before it is judged. Requires `rules`. Default `false`. */
  fixRules?: boolean | undefined;
  /** `keep`: an image that is transparent somewhere is not cut out, it keeps its alpha. `replace` by default. */
  alpha?: AlphaMode | undefined;
}
/** What a preset has. */
export interface PresetRequest {
  options?: PresetOptions | undefined;
  /** Which cut-outs downloads of batches and feeds have by default. */
  export?: ExportPolicy | undefined;
}
/** Paths on the service. */
export interface PresetLinks { self: string }
/** Options that requests take by name. */
export interface Preset {
  name: string;
  options: PresetOptions;
  export?: ExportPolicy;
  changedAt: string;
  links: PresetLinks;
}
/** What your people have decided about such articles, or about this one. */
export interface LearnedEvidence {
  /** The shop's category, normalised; null: somebody decided about this very row. */
  path: string | null;
  /** Id of a category, or `none` for no garment. */
  category: string;
  decisions: number;
  /** The share of the decisions that say so. */
  agreement: number;
}
/** What is known of some categories of your shop. */
export interface LearnedCategoriesRequest {
  /** 1 to 1000. */
  categories: ({
    /** Up to 750 characters. */
    path: string;
    /** Decisions by category, as GET /taxonomy/v1/options names them, or `none`. */
    counts: Record<string, number>;
  })[];
}
/** What people have decided about a category of your shop. */
export interface LearnedCategory {
  path: string;
  /** What most decisions say. */
  category: string;
  decisions: number;
  /** The share of the decisions that say so. */
  agreement: number;
  /** Three decisions or more, of which nine in ten agree: overrules a title. */
  strong: boolean;
  counts: Record<string, number>;
  changedAt: string;
}
/** All that was learnt, by path. */
export interface LearnedCategories {
  categories: LearnedCategory[];
  /** Of more, those that were decided about longest ago are forgotten. */
  maxPaths: number;
}
/** All presets of a client, by name. */
export interface PresetList { presets: Preset[] }
/** `high` refines edges further and takes longer; `fast` does not refine them and makes a larger file sooner. */
export type Quality = 'fast' | 'balanced' | 'high';
/** `jpeg` has no transparency and gets a white background. Default `png`. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';
/** How a cut-out is made and drawn. Every member is optional; only those given are sent. */
export interface CutOutOptions extends PresetOptions {
  /** The name of a preset of yours: its options apply where you send none. */
  preset?: string | undefined;
}
/** What happens to the alpha that an image brings. */
export type AlphaMode = 'replace' | 'keep';
/** All of the subject; the people; what they wear, without skin and hair; or the garments of one region. */
export type Subject = 'all' | 'person' | 'garment' | 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';
/** A stroke of a round brush over a cut-out. */
export interface Stroke {
  /** `add`: what is under it is subject; `erase`: it is background. */
  mode: 'add' | 'erase';
  /** Of the brush, pixels: 0.5 to 2000. */
  radius: number;
  /** `[x, y]` of the upright image. */
  points: ([number, number])[];
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
  shadow?: 'drop' | 'keep';
  shadowOpacityPct?: number;
  semitransparency?: false;
  subject?: 'person' | 'garment' | 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';
  rules?: string;
  fixRules?: true;
  /** The pack as it was when the work was accepted. */
  rulePack?: RulePack;
  alpha?: 'keep';
}
/** A rectangle in pixels, from the top left corner. */
export interface Rectangle { left: number; top: number; width: number; height: number }
/** Whether a person should look at a cut-out, and why. */
export interface CutOutReview {
  /** Whether a person should look at the cut-out. */
  needed: boolean;
  /** What was noticed: `low-confidence`, `gap-unsure`, `hole-in-subject`, `ground-in-gap`, `several-subjects`, `subject-too-small`, `blurred`, `same-colour-as-background`, `cut-by-frame`, `damaged`, and `rule:` with the id of a rule. More may be added. */
  reasons: string[];
}
/** A finished cut-out. */
export interface CutOut extends ManifestCutOut {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'application/zip';
  /** The bounding box of the subject in the output, pixels; absent if none was found. */
  foreground?: Rectangle;
  /** `id@version`. */
  model: string;
  /** Likelihood that the mask is right, 0 to 1. */
  confidence: number;
  /** Of what is cut out: the name of its format and 64 bytes in base64url. Alike for copies of a picture that were recompressed, scaled, cropped a little or mirrored. Absent without a photo or subject, and from results of older releases. */
  fingerprint?: string;
  /** The image kept its own alpha, by `alpha=keep`; absent if it was cut out. */
  alpha?: 'kept';
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
export type ReviewDecision = 'pending' | 'approved' | 'rejected';
/** Which cut-outs a download has: `passed` need no review, `approved` includes those that people approved. */
export type ExportPolicy = 'all' | 'passed' | 'approved';
/** How far a review is. */
export interface ReviewCounts {
  /** Cut-outs that a person should look at. */
  needed: number;
  approved: number;
  rejected: number;
  /** Of those needed, not decided yet. */
  pending: number;
}
/** Who decided. */
export interface ReviewAuthor {
  client: string;
  /** Id of the API key, as its operator knows it; or who had signed in to the console without one. */
  keyId: string;
}
/** The file that is decided about. */
export interface ReviewCutOut {
  /** Of the file: the version that is decided about. */
  sha256: string;
  /** Absent if a newer run of the feed has replaced it. */
  url?: string;
}
/** Paths on the service. */
export interface ReviewRowLinks { self: string }
/** A row with its cut-out and the decision in effect. */
export interface ReviewRow {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds, of the product. */
  title?: string;
  /** In feeds: the product's category in its shop, normalised. */
  shopPath?: string;
  /** In feeds: of its product, 0 is the main one. */
  image?: number;
  imageUrl?: string;
  confidence: number;
  needed: boolean;
  reasons: string[];
  decision: ReviewDecision;
  /** Of the decision about this very row; 0 if nobody has made one. */
  revision: number;
  /** A decision about the row, a bulk approval, or one of an earlier run. */
  source?: 'row' | 'bulk' | 'earlier-run';
  decidedAt?: string;
  decidedBy?: ReviewAuthor;
  note?: string;
  /** As somebody decided about this very row. */
  category?: string;
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  /** A refinement needs `alpha`: the cut-out is drawn with a crop, a background or the like. */
  needsAlpha?: boolean;
  cutout: ReviewCutOut;
  links: ReviewRowLinks;
}
/** The version of a cut-out that was decided about. */
export interface ReviewedVersion {
  /** Hexadecimal. */
  cutoutSha256: string;
  /** Hexadecimal. */
  inputSha256: string;
  /** As of the row. */
  refinements?: number;
}
/** One decision about a row. */
export interface ReviewHistoryLine {
  revision: number;
  decision: ReviewDecision;
  note?: string;
  category?: string;
  decidedAt: string;
  decidedBy: ReviewAuthor;
  version: ReviewedVersion;
}
/** A row with the last 20 decisions about it, the newest first. */
export interface ReviewRowHistory extends ReviewRow {
  /** The last 20 decisions about the row, the newest first. */
  history: ReviewHistoryLine[];
}
/** A page of a review. It may be short, even empty, while `links` are there. */
export interface ReviewPage { review: ReviewCounts; rows: ReviewRow[]; links?: DuplicatesLinks }
/** Pending rows of one confidence. */
export interface PendingRows {
  /** In thousandths. */
  confidence: number;
  rows: number;
}
/** How many rows a review has. */
export interface ReviewSummary {
  review: ReviewCounts;
  /** Rows that need a review, by reason; a row may have several. Absent if the review began under a release that did not count them. */
  reasons?: Record<string, number>;
  /** Pending rows by confidence in thousandths, the lowest first. */
  pending: PendingRows[];
}
/** Which rows of a review to return. */
export interface ReviewQuery {
  /** `false` for all rows with a cut-out, in upload order. Default `true`. */
  needed?: boolean | undefined;
  /** Only rows with this reason, such as `gap-unsure`: up to 100 characters. */
  reason?: string | undefined;
  /** Only rows with this decision. */
  decision?: ReviewDecision | undefined;
  /** Default `20`: 1 to 100. */
  limit?: number | undefined;
  /** As in `links.next`. Default `0`. */
  cursor?: number | undefined;
}
/** A decision about one row. */
export interface ReviewDecisionRequest {
  /** `pending` takes a decision back. */
  decision: ReviewDecision;
  /** Up to 500 characters. */
  note?: string | undefined;
  /** What the row sells: the id of a category, or `none` for no garment. In feeds it is learnt for the `shopPath` of the row: up to 64 characters. */
  category?: string | undefined;
  /** Of the decision that you have seen; 0 if there is none. */
  revision: number;
}
/** An approval of all pending rows. */
export interface ReviewApprovalRequest {
  decision: 'approved';
  /** In thousandths; rows of at least this confidence: 0 to 1. */
  minConfidence: number;
}
/** What a bulk approval has approved. */
export interface ReviewApproval {
  /** Rows that needed a review and were pending. */
  approved: number;
  review: ReviewCounts;
}
/** A range of which at least one end is given. */
export interface RuleRange {
  /** 0 to 1. */
  min?: number | undefined;
  /** 0 to 1. */
  max?: number | undefined;
}
/** The rules of a pack; an absent one is not judged. */
export interface PictureRules {
  /** The colour behind the subject, and by how much a channel may differ, 0 to 32. */
  background?: {
    color: string;
    /** 0 to 32. */
    tolerance?: number | undefined;
  } | undefined;
  border?: false | undefined;
  /** Text, logos and watermarks beside the subject. */
  overlay?: false | undefined;
  /** The old background along the outline. */
  fringe?: false | undefined;
  'cut-by-frame'?: false | undefined;
  /** Of the width or height that the subject takes, whichever is more, 0 to 1. */
  'fill-ratio'?: RuleRange | undefined;
  /** On each side, as a share of its axis: 0 to 0.45. */
  margin?: {
    /** 0 to 0.45. */
    min: number;
  } | undefined;
  /** Width divided by height. */
  aspect?: RuleRange | undefined;
  /** Pixels. */
  'longest-side'?: RuleRange | undefined;
  /** Pixels. */
  'shortest-side'?: RuleRange | undefined;
  megapixels?: {
    /** 0.01 to 1000. */
    max: number;
  } | undefined;
  /** 1 to 3. */
  'file-type'?: ('image/png' | 'image/jpeg' | 'image/webp')[] | undefined;
  'file-bytes'?: {
    /** 1000 to 1000000000. */
    max: number;
  } | undefined;
}
/** Rules that pictures are judged by. */
export interface RulePack {
  /** Up to 100 characters. */
  title: string;
  /** Where the rules were read, and on which day. */
  sources?: ({
    /** Up to 300 characters. */
    url: string;
    checkedOn: string;
  })[] | undefined;
  rules: PictureRules;
}
/** A pack that is built in, or the client's own. */
export interface NamedRulePack {
  name: string;
  /** Of the content: equal packs have equal versions. */
  version: string;
  builtIn: boolean;
  /** Of own packs. */
  changedAt?: string;
  pack: RulePack;
  links: { self: string };
}
export interface RulePackList { rules: NamedRulePack[] }
/** What a rule says about a picture. */
export interface RuleVerdict {
  /** Such as `fill-ratio`; more may be added. */
  id: string;
  passed: boolean;
  /** Absent if it cannot be told; then the rule passes. */
  measured?: number | string;
  limit: { min?: number; max?: number; oneOf?: string[] };
  /** What to do; only if it failed. */
  advice?: string;
}
/** A picture, judged by a pack. */
export interface RulesReport {
  pack: string;
  /** Of the content of the pack. */
  version: string;
  passed: boolean;
  verdicts: RuleVerdict[];
}
/** What a source is started with, or changed to. */
export interface SourceRequest {
  /** By default those of before. */
  options?: CutOutOptions | undefined;
  /** Whether no more objects are taken. Default `false`. */
  paused?: boolean | undefined;
}
/** Where objects are; a folder is known to the operator only. */
export interface SourcePlace { kind: 's3' | 'folder'; bucket?: string; prefix?: string }
/** Versions of objects, by what became of them. */
export interface SourceCounts {
  /** Versions of objects that were taken. */
  found: number;
  /** Those that are processed now, or wait for it. */
  pending: number;
  /** Those with a result. */
  succeeded: number;
  /** Those that could not be processed. */
  failed: number;
  /** Those that were not read: empty, too large, or with a name no result can have. */
  rejected: number;
}
/** `off` until you start it; `waiting` for quota or a live key; `unreachable` if a place cannot be used now. */
export type SourceStatus = 'off' | 'paused' | 'waiting' | 'unreachable' | 'working' | 'watching';
/** Why no more objects are processed now. */
export interface SourceProblem { type: string; detail: string; since: string }
/** Paths on the service. */
export interface SourceLinks { self: string; events: string; scan: string; failures: string }
/** Objects that fail by themselves, by what becomes of them. */
export interface SourceFailureCounts {
  /** Objects that are tried again, each after a pause of its own. */
  waiting: number;
  /** Those that are not, until they change or you POST …/scan. */
  givenUp: number;
  /** Folders whose objects cannot be listed, 100 at most. */
  unlisted: number;
}
/** An object that fails while others do not. */
export interface SourceFailure {
  /** Below the prefix or folder. */
  name: string;
  reason: string;
  attempts: number;
  since: string;
  lastAt: string;
  /** When it is tried again; absent once it is given up. */
  retryAt?: string;
}
/** A page of failures, by name. */
export interface SourceFailures {
  /** By name. */
  failures: SourceFailure[];
  /** Folders that the last listing could not read. */
  unlisted: ({ name: string; reason: string })[];
  links?: DuplicatesLinks;
}
/** A folder or a prefix of a bucket that the operator has declared for your client. */
export interface Source {
  id: string;
  from: SourcePlace;
  to: SourcePlace;
  /** How often all objects are listed. */
  everySeconds: number;
  /** `off` until you PUT it; `waiting` for quota or a live key; `unreachable`: a place cannot be used now, and is tried again; `working`: objects are processed; `watching`: all are done. */
  status: SourceStatus;
  counts: SourceCounts;
  /** When all objects had been listed last. */
  listedAt?: string;
  /** Why no more objects are processed now. */
  problem?: SourceProblem;
  /** When a place is tried again. */
  retryAt?: string;
  /** Objects that fail by themselves; `links.failures` names them with reasons. */
  failures: SourceFailureCounts;
  options?: AppliedCutOutOptions;
  /** When you PUT it last. */
  changedAt?: string;
  /** The last handshake of SNS, for `selvage sources confirm`. */
  subscription?: { topicArn: string; token: string; receivedAt: string };
  links: SourceLinks;
}
/** All sources of a client. */
export interface SourceList { sources: Source[] }
/** What was understood of an event. */
export interface SourceEventReceipt {
  /** Objects that the event names. */
  objects: number;
  /** Those outside the source. */
  ignored: number;
}
/** What was assumed, why items were left out, or why there is no outfit. */
export interface Diagnostic { code: string; slot?: string; itemIds?: string[]; detail: string }
export type WeatherCondition = 'clear' | 'partly-cloudy' | 'cloudy' | 'fog' | 'drizzle' | 'rain' | 'heavy-rain' | 'thunderstorm' | 'sleet' | 'hail' | 'snow' | 'heavy-snow' | 'windy' | 'unknown';
/** Units of a weather, if they are not °C, m/s and percent. */
export interface WeatherUnits {
  temp?: 'C' | 'F' | 'K' | undefined;
  wind?: 'm/s' | 'km/h' | 'mph' | 'kn' | undefined;
  humidity?: '%' | 'share' | undefined;
}
export interface Weather {
  /** Air at 2 m, −60 to 60 °C. */
  tempC: number;
  /** Mean wind at 10 m, 0 to 60 m/s. */
  windMs: number;
  /** Gusts at 10 m, m/s; two thirds of them count as wind if that is more. */
  gustMs?: number | null | undefined;
  /** Relative humidity, 0 to 100 %; without it, one that is usual for the condition. */
  humidityPct?: number | null | undefined;
  /** Ignored: warmth is computed from air, wind, humidity and sun. */
  feelsLikeC?: number | null | undefined;
  /** Any text is read, and any code, also as a number: `light rain`, `Regen`, `-RA`, 61 (WMO), 500 (OpenWeather), in English, German, French, Spanish, Italian and Dutch. It is taken as the nearest of these; what names none is `unknown`, and a diagnostic says so: clear, partly-cloudy, cloudy, fog, drizzle, rain, heavy-rain, thunderstorm, sleet, hail, snow, heavy-snow, windy, unknown: up to 200 characters. */
  condition: string | number;
  /** Whether the sun is up; default true, unless the condition says night. */
  isDay?: boolean | undefined;
  /** Units of the values, if they are not °C, m/s and percent. */
  units?: WeatherUnits | undefined;
}
export type ThermalProfile = 'runs-very-cold' | 'runs-cold' | 'neutral' | 'runs-warm' | 'runs-very-warm';
/** A number for each part of the body. */
export interface BodyValues {
  /** −3 to 3. */
  top?: number | undefined;
  /** −3 to 3. */
  bottom?: number | undefined;
  /** −3 to 3. */
  feet?: number | undefined;
  /** −3 to 3. */
  hands?: number | undefined;
  /** −3 to 3. */
  head?: number | undefined;
}
/** What calibration has learned. */
export interface ProfileLearning {
  /** Votes so far. */
  n: number;
  /** 0.05 to 25. */
  variance: number;
  regionVariance?: BodyValues | undefined;
  /** Up to 32 characters. */
  model: string;
  [extra: string]: unknown;
}
/** How warm a person likes it. Other members are returned unchanged. */
export interface UserProfile {
  version?: 1 | undefined;
  thermalProfile?: ThermalProfile | undefined;
  /** K by which the person feels cold sooner than most; takes precedence over the label: −6 to 6. */
  offsetC?: number | undefined;
  /** 0.5 to 2. */
  sensitivity?: number | undefined;
  /** Kelvin: −3 to 3. */
  regionOffsetC?: BodyValues | undefined;
  /** Parts of the body that every outfit covers: up to 4. */
  coverage?: Coverage[] | undefined;
  coldHands?: boolean | undefined;
  coldFeet?: boolean | undefined;
  learning?: ProfileLearning | undefined;
  [extra: string]: unknown;
}
/** A part of the body that outfits are to cover. */
export type Coverage = 'head' | 'arms' | 'legs' | 'midriff';
/** * Where the outfit is for: `indoor` dresses for the room and offers a shell for outside, `outdoor` dresses for outside. */
export type Plan = 'indoor' | 'outdoor';
export interface TargetsRequest {
  weather: Weather;
  /** Activity, met; 1 is sitting: 0.7 to 7. */
  met: number;
  userProfile?: UserProfile | undefined;
  /** clo to add: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  /** Up to 64 characters. */
  occasion?: string | undefined;
  /** °C: 5 to 40; by default 22 in the heating season and 24.5 in the cooling season. */
  indoorTempC?: number | undefined;
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
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
  regionOffsetC: { top?: number; bottom?: number; feet?: number; hands?: number; head?: number };
  cloOffset: number;
  occasion: string | null;
  indoorTempC: number | null;
  /** Absent if /targets issued them. */
  plan?: Plan;
}
/** The insulation needed outdoors, signed. Send it back unchanged. */
export interface Targets {
  tempC: number;
  windMs: number;
  humidityPct: number;
  met: number;
  /** Boundary air layer, clo. */
  iA: number;
  /** Vapour gradient relative to that at 50 % RH. */
  kHumidity: number;
  /** Dry heat the clothing must pass, W/m². */
  hEff: number;
  regionalTargets: RegionalTargets;
  thermalProfile: ThermalProfile;
  total: TotalTarget;
  inputs: TargetInputs;
  paramsVersion: string;
  /** Signature of the targets; send them unchanged. */
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
  /** What was assumed, or is doubtful. */
  diagnostics: Diagnostic[];
}
/** One day of a trip. */
export interface TripDay {
  /** `2026-11-24`. */
  date: string;
  /** Default: that of `forecast` on this date. */
  weather?: Weather | undefined;
  /** Activity, met; 1 is sitting: 0.7 to 7. */
  met: number;
  /** Id of an occasion of the dictionary. */
  occasion?: string | undefined;
  /** Default `outdoor`. */
  plan?: Plan | undefined;
  /** °C: 5 to 40. */
  indoorTempC?: number | undefined;
}
export interface TripRequest {
  /** 1 to 14. */
  days: TripDay[];
  /** Of Open-Meteo or MET Norway, as it comes, for days without `weather`. */
  forecast?: Forecast | undefined;
  /** Items that all outfits have together, at most: 1 to 1000. */
  maxItems: number;
  /** Days on which a top, dress, bottom, underlayer or pair of socks is worn; any by default: 1 to 14. */
  wearsBeforeWash?: number | undefined;
  userProfile?: UserProfile | undefined;
  /** clo to add: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  items: WardrobeItem[];
  /** Another choice among equal items; the same seed gives the same response. */
  seed?: number | undefined;
  /** Like `must`, but items that cannot be worn together are rejected: up to 16. */
  pin?: string[] | undefined;
  /** Up to 1000. */
  exclude?: string[] | undefined;
  /** Parts of the body that every outfit covers: up to 4. */
  coverage?: Coverage[] | undefined;
  /** en, de, fr, es, it, nl, or a tag such as `de-AT`, which finds the nearest; by default what `Accept-Language` prefers, else `en`. */
  locale?: string | undefined;
}
export interface TripOutfit extends Candidate {
  name: string;
  /** Points: 0 to 100. */
  score: number;
  /** Codes, listed by `/meta`. */
  warnings: string[];
  explanation: Explanation[];
}
export interface TripDayResult {
  date: string;
  /** Null if no outfit is left within the limits. */
  outfit: TripOutfit | null;
}
export interface TripResponse {
  /** What to take along. */
  itemIds: string[];
  days: TripDayResult[];
  /** Points by which the mean score could be better; 0: proved optimal. */
  gap: number;
  diagnostics: Diagnostic[];
  paramsVersion: string;
}
/** Requests that the key's rate still allows. */
export interface RateUsage {
  limit: number;
  remaining: number;
  /** Until the full rate is available again. */
  resetSeconds: number;
}
/** What a daily limit of the key still allows. */
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
  /** The parts of `/intake` that the key may use. */
  intake: IntakeRight[];
  rate: RateUsage;
  quota: QuotaUsage;
  /** Bytes of uploaded images, rows and feeds. */
  storedBytes: QuotaUsage;
}
/** A colour of a garment; it has `hex`, `family` or both. */
export interface WardrobeColor {
  /** `#rrggbb`. */
  hex?: string | undefined;
  /** 0 to 1. */
  share?: number | undefined;
  /** Id of a colour family of the dictionary. */
  family?: string | undefined;
  [extra: string]: unknown;
}
export interface WardrobeMaterial {
  /** Id of a material of the dictionary. */
  id: string;
  /** 0 to 1. */
  share?: number | undefined;
  [extra: string]: unknown;
}
/** * One garment of a wardrobe. Only `id` and `category` are needed: the dictionary has defaults for the rest. Other members are ignored and returned. */
export interface WardrobeItem {
  /** Your id, unique in the wardrobe: up to 128 characters. */
  id: string;
  /** Id of a category of the dictionary. */
  category: string;
  /** Up to 300 characters. */
  name?: string | null | undefined;
  region?: Region | undefined;
  /** If it differs from the category’s. */
  layer?: Layer | undefined;
  bodySlot?: BodySlot | undefined;
  /** Effective insulation Iclu (ISO 9920), clo. */
  clo?: number | undefined;
  /** From and to, clo: 0 to 2. */
  cloRange?: [number, number] | undefined;
  /** 1 thin … 5 very warm, if clo is not known; default 3. */
  warmth?: number | undefined;
  /** 0 to 1. */
  waterResistance?: number | undefined;
  /** 0 to 1. */
  windResistance?: number | undefined;
  /** 0 to 1. */
  breathability?: number | undefined;
  /** 0 lounge … 5 formal: one number, or [from, to]. */
  formality?: number | [number, number] | undefined;
  /** When it is worn; none means all year: up to 8. */
  seasons?: string[] | undefined;
  /** Up to 8. */
  colors?: WardrobeColor[] | undefined;
  pattern?: string | null | undefined;
  /** Up to 8. */
  materials?: WardrobeMaterial[] | undefined;
  /** Up to 32. */
  occasions?: string[] | undefined;
  available?: boolean | undefined;
  favorite?: boolean | undefined;
  /** 0 to 36500. */
  lastWornDaysAgo?: number | undefined;
  /** Opaque; never fetched: up to 512 characters. */
  imageRef?: string | undefined;
  /** Whether the outfit engine uses it. */
  lookEligible?: boolean | undefined;
  /** Up to 64 characters. */
  dictionaryVersion?: string | undefined;
  [extra: string]: unknown;
}
/** Absent on the last page. */
export type ReviewPageLinks = DuplicatesLinks;
/** What a key may be asked for. Those that begin with `operations:` are the operator's to give. */
export type ClientScope = 'background-removal:process' | 'taxonomy:classify' | 'look-engine:read' | 'look-engine:compute' | 'look-engine:calibrate' | 'account';
/** A part of `/intake`. */
export type IntakeRight = 'jobs' | 'review' | 'sources' | 'settings' | 'webhooks';
/** Requests that a key may send in a period. */
export interface RateLimit {
  /** 1 to 1000000. */
  count: number;
  /** 1 to 3600. */
  periodSeconds: number;
}
/** A new key; what is left out is as of the key in use. */
export interface CreateKeyRequest {
  /** What you call it: up to 100 characters. */
  name?: string | undefined;
  /** By default all of this key. */
  scopes?: ClientScope[] | undefined;
  /** The parts of `/intake` it may use. */
  intake?: IntakeRight[] | undefined;
  /** A test key. */
  test?: true | undefined;
  rate?: RateLimit | undefined;
  /** Units. */
  quotaPerDay?: number | undefined;
  allowBase64?: boolean | undefined;
}
/** A key of your client. */
export interface AccountKey {
  id: string;
  /** What you call it. */
  name?: string;
  /** How the key begins. */
  prefix: string;
  scopes: string[];
  /** The parts of `/intake` it may use. */
  intake: string[];
  test: boolean;
  /** The key of this request. */
  current: boolean;
  rate: RateLimit;
  quotaPerDay: number;
  createdAt: string;
  /** Absent if it was never used. */
  lastUsedAt?: string;
  expiresAt?: string;
  /** `slv_…`; only when it is new. */
  key?: string;
}
/** Requests for one operation on one day. */
export interface OperationUsage {
  /** The `operationId`. */
  operation: string;
  requests: number;
  /** Of the quota, when they were answered. */
  units: number;
}
/** What a client used on one day. */
export interface AccountUsageDay {
  /** A day in UTC. */
  date: string;
  /** What counts against the quota, rows and refunds included. */
  units: number;
  operations: OperationUsage[];
}
/** What all keys of a client used. */
export interface AccountUsage {
  client: string;
  /** The newest first; only days on which something was used. */
  days: AccountUsageDay[];
}
/** How many days to return. */
export interface AccountUsageQuery {
  /** Default `90`. */
  days?: number | undefined;
}
/** What became of a request: nothing that it carried. */
export interface LoggedRequest {
  requestId: string;
  client: string;
  keyId: string;
  /** Who had signed in to the console without a key: e-mail and subject at the provider. */
  person?: string;
  method: string;
  /** With `:name` for parameters. */
  route: string;
  /** The `operationId`. */
  operation: string;
  status: number;
  /** The type of its problem. */
  problem?: string;
  /** What the first error points at. */
  pointer?: string;
  millis: number;
  /** Of the quota. */
  units: number;
  answeredAt: string;
}
/** Which entries of the audit log to return. */
export interface AuditQuery {
  /** Default `20`: 1 to 100. */
  limit?: number | undefined;
  /** The last id of the previous page. */
  before?: string | undefined;
  /** Up to 400 characters. */
  client?: string | undefined;
  /** E-mail and subject, as entries have them: up to 400 characters. */
  person?: string | undefined;
  /** Up to 400 characters. */
  keyId?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}
/** Who changed what, when. */
export interface AuditEntry {
  requestId: string;
  client: string;
  keyId: string;
  /** Who had signed in to the console without a key: e-mail and subject at the provider. */
  person?: string;
  /** The `operationId`. */
  operation: string;
  method: string;
  route: string;
  status: number;
  problem?: string;
  /** Of the path; `…` if it looked like a secret. */
  params: Record<string, string>;
  made?: string;
  id: string;
  answeredAt: string;
}
/** Entries of the audit log, the newest first. */
export interface AuditPage { entries: AuditEntry[]; links?: DuplicatesLinks }
/** `fetched`: the key was handed out, and is in use. */
export type AccessStatus = 'pending' | 'approved' | 'denied' | 'fetched';
/** A request for a key. */
export interface AccessRequestForm {
  /** The name you want: letters, digits and `._-`. */
  client: string;
  /** Where the operator can reach you: up to 200 characters. */
  contact: string;
  scopes: ClientScope[];
  /** What you want to do: up to 1000 characters. */
  note?: string | undefined;
}
/** A request for a key that was just sent. */
export interface SubmittedAccessRequest {
  id: string;
  status: AccessStatus;
  /** Fetches the key, once; shown only now. */
  secret: string;
  links: { key: string };
}
/** A key that was asked for. */
export interface FetchedKey {
  /** `slv_…`; shown only now. */
  key: string;
  id: string;
  client: string;
  scopes: string[];
}
/** A request for a key, as its operator sees it. */
export interface AccessRequest {
  id: string;
  client: string;
  contact: string;
  scopes: string[];
  note?: string;
  status: AccessStatus;
  requestedAt: string;
  decidedAt?: string;
  fetchedAt?: string;
  /** Of the key that was fetched. */
  keyId?: string;
}
/** Which requests to return. */
export interface AccessRequestQuery { status?: AccessStatus | undefined }
/** What the operator grants; what is left out is as requested, or the default. */
export interface AccessApproval {
  /** Another name than the one asked for. */
  client?: string | undefined;
  /** The request comes from that client. */
  existingClient?: boolean | undefined;
  /** Others than those asked for. */
  scopes?: ClientScope[] | undefined;
  /** The parts of `/intake` the key may use. */
  intake?: IntakeRight[] | undefined;
  /** A test key. */
  test?: true | undefined;
  rate?: RateLimit | undefined;
  /** Default `1000`: 1 to 1000000000. */
  quotaPerDay?: number | undefined;
  /** Default `50000000000`: 1 to 1000000000000000. */
  bytesPerDay?: number | undefined;
  /** Default `1`: 1 to 16. */
  weight?: number | undefined;
  /** Default `100`: 0 to 100000. */
  maxFeeds?: number | undefined;
  /** Default `900`: 1 to 34560000. */
  feedIntervalSeconds?: number | undefined;
  /** Default `false`. */
  allowBase64?: boolean | undefined;
}
