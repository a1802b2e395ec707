import type * as contract from './contract.ts';
import type { AccessClient, AccountClient } from './interface/account.ts';
import type { Answer } from './interface/answer.ts';
import type { BatchesClient } from './interface/batches.ts';
import type { Bytes, CallOptions, ImageResponse } from './interface/common.ts';
import type { FeedsClient } from './interface/feeds.ts';
import type {
  BackgroundRemovalOptions,
  ClassifyRequest,
  RefineCutOutOptions,
  RefineCutOutRequest,
  SeparatedGarments,
  SeparateGarmentsOptions,
} from './interface/garments.ts';
import type { JobsClient } from './interface/jobs.ts';
import type { LookClient } from './interface/look.ts';
import type {
  LearnedCategoriesClient,
  PresetsClient,
  RulesClient,
  SourcesClient,
} from './interface/named.ts';

export type * from './interface/account.ts';
export type * from './interface/batches.ts';
export type * from './interface/common.ts';
export type * from './interface/feeds.ts';
export type * from './interface/garments.ts';
export type * from './interface/jobs.ts';
export type * from './interface/look.ts';
export type * from './interface/named.ts';
export type * from './interface/reviews.ts';

/** An operation of the service that has no method of its own. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with a leading slash. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, as a value of JSON. */
  json?: unknown;
}

/** A client of one service with one key. Calls fail with a `SelvageError`, or with the signal's reason if you abort them. */
export interface Client {
  /** Cuts the subject out of a photo: JPEG, PNG or WebP. */
  removeBackground(image: Bytes, options?: BackgroundRemovalOptions): Promise<ImageResponse>;
  /** Mends a cut-out with strokes of a brush. The service stores nothing. */
  refineCutOut(request: RefineCutOutRequest, options?: RefineCutOutOptions): Promise<ImageResponse>;
  /** Classifies a garment. */
  classify(request: ClassifyRequest, options?: CallOptions): Answer<contract.ClassifyResponse>;
  /** Separates the garments in the photo of an outfit. */
  separateGarments(image: Bytes, options?: SeparateGarmentsOptions): Promise<SeparatedGarments>;
  /** Returns the dictionary. */
  taxonomyOptions(
    query?: contract.TaxonomyOptionsQuery,
    options?: CallOptions,
  ): Answer<contract.TaxonomyOptionsResponse>;
  look: LookClient;
  jobs: JobsClient;
  batches: BatchesClient;
  feeds: FeedsClient;
  rules: RulesClient;
  presets: PresetsClient;
  categories: LearnedCategoriesClient;
  sources: SourcesClient;
  account: AccountClient;
  access: AccessClient;
  /** Returns what the key allows and what is left. */
  usage(options?: CallOptions): Answer<contract.Usage>;
  /** Calls any operation that answers with JSON or nothing, by the rules of the others. */
  call<Result extends object>(call: ApiCall, options?: CallOptions): Answer<Result>;
}
