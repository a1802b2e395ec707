import type { z } from 'zod';
import type * as client from '../../packages/client/src/contract.ts';
import type { ErrorRow, ManifestRow, ResultRow } from '../../src/api/intake/batches/reports.ts';
import type { CreateBatchRequest, ItemRow } from '../../src/api/intake/batches/request.ts';
import type { BatchResponse } from '../../src/api/intake/batches/response.ts';
import type { DuplicatesPage } from '../../src/api/intake/duplicates/schemas.ts';
import type { FeedJson, FeedQuery } from '../../src/api/intake/feeds/request.ts';
import type { FeedResponse, RunResponse } from '../../src/api/intake/feeds/response.ts';
import type { JobJson } from '../../src/api/intake/job-request.ts';
import type { JobResponse } from '../../src/api/intake/job-response.ts';
import type { exportPolicyField } from '../../src/api/intake/review/export-policy.ts';
import type {
  ApprovalRequest,
  ApprovalResponse,
  DecisionRequest,
  ReviewPage,
  ReviewRowHistory,
  ReviewSummary,
} from '../../src/api/intake/review/schemas.ts';
import type { EventReceipt, SourceResponse } from '../../src/api/intake/sources/schemas.ts';
import type { RefinementFields } from '../../src/api/removal/refinements.ts';
import type { FeedInspection } from '../../src/feed-formats/inspect.ts';
import type {
  CalibrateRequest,
  CalibrateResponse,
} from '../../src/look/calibration/calibrate-schema.ts';
import type { DayRequest, DayResponse } from '../../src/look/day.ts';
import type { MetaQuery, MetaResponse } from '../../src/look/meta.ts';
import type {
  CandidatesResponse,
  OutfitsResponse,
  ScoreResponse,
} from '../../src/look/responses.ts';
import type { ParamsResponse, TargetsRequest, TargetsResponse } from '../../src/look/schema.ts';
import type { TripRequest, TripResponse } from '../../src/look/trip.ts';
import type {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../src/look/wardrobe/wardrobe-request.ts';
import type { QualityChoice } from '../../src/output/options.ts';
import type { OutputRequest } from '../../src/output/request.ts';
import type { Stroke } from '../../src/output/strokes.ts';
import type { OptionsQuery, OptionsResponse } from '../../src/taxonomy/dictionary/options.ts';
import type { OutfitDescription } from '../../src/taxonomy/outfit/outfit-schema.ts';
import type { ClassifyOptions, FeedAttributes } from '../../src/taxonomy/request-schema.ts';
import type { ClassifyResponse } from '../../src/taxonomy/response-schema.ts';

/**
 * Compares the client's hand-written types with those that the gateway infers from its schemas. There
 * is nothing to run: a difference fails `npm run typecheck`, and the compiler names the member.
 *
 * Types are compared as the sets of their members, each written as a line of text such as
 * `.items[].clo?: number`. Mutual assignability would not see a missing optional member, and the
 * compiler gives up on deeply nested mapped types.
 */
type Key = string | number;

type WithoutIndex<T> = {
  [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K];
};

type MembersOf<T, Path extends string> = {
  [K in keyof WithoutIndex<T> & Key]-?: object extends Pick<T, K & keyof T>
    ? Describe<Exclude<T[K & keyof T], undefined>, `${Path}.${K}?`>
    : Describe<T[K & keyof T], `${Path}.${K}`>;
}[keyof WithoutIndex<T> & Key];

type IndexOf<T, Path extends string> =
  T extends Record<infer K extends string, infer Value>
    ? string extends K
      ? Describe<Value, `${Path}.*`>
      : never
    : never;

/** Every member of a type as a line of text; unions are flattened, `undefined` is ignored. */
type Describe<T, Path extends string> = unknown extends T
  ? `${Path}: unknown`
  : T extends null
    ? `${Path}: null`
    : T extends string
      ? `${Path}: ${string extends T ? 'string' : `'${T}'`}`
      : T extends number
        ? `${Path}: ${number extends T ? 'number' : T}`
        : T extends boolean
          ? `${Path}: ${T}`
          : T extends readonly (infer Item)[]
            ? Describe<Item, `${Path}[${number extends T['length'] ? '' : T['length']}]`>
            : T extends object
              ? `${Path}: object` | MembersOf<T, Path> | IndexOf<T, Path>
              : never;

type Label<Side extends string, Line> = Line extends string ? `${Side}: ${Line}` : never;

type Difference<Client, Gateway> =
  | Label<'client only', Exclude<Describe<Client, ''>, Describe<Gateway, ''>>>
  | Label<'gateway only', Exclude<Describe<Gateway, ''>, Describe<Client, ''>>>;

/** Accepts no difference; the error shows the first of them. */
type None<T extends never> = T;

/** A background in bytes is a member of the client's own request types. */
interface CutOutOptions extends Omit<z.infer<typeof OutputRequest>, 'backgroundImage'> {
  quality?: z.infer<typeof QualityChoice>;
}
type JobFields = z.input<typeof JobJson>;
type BatchFields = z.input<typeof CreateBatchRequest>;
type FeedFields = z.input<typeof FeedJson>;
type FeedUpload = Partial<z.input<typeof FeedQuery>>;
/** A body as it is sent; the check of its items takes anything. */
type Tagged<Parsed extends { items: unknown }, Sent> = Omit<Sent, 'items'> & Pick<Parsed, 'items'>;
type ScoreFields = Tagged<z.infer<typeof ScoreRequest>, z.input<typeof ScoreRequest>>;
/** Targets and candidates come back as they were sent, so the gateway's schema leaves them open. */
type Echoed = 'targets' | 'indoorTargets' | 'candidates';
/** Text of a query that the gateway converts: its schema accepts `unknown`. */
type Converted = 'operations' | 'outputSeconds';
type FeedSeconds = NonNullable<client.FeedRetentionOptions['outputSeconds']>;

export type Checks = [
  None<Difference<client.CutOutOptions, CutOutOptions>>,
  None<Difference<client.Stroke, z.infer<typeof Stroke>>>,
  None<
    Difference<
      Omit<client.RefinementOptions, 'quality'>,
      Omit<z.infer<typeof RefinementFields>, 'quality' | 'roi' | 'backgroundImageUrl' | 'subject'>
    >
  >,
  None<
    Difference<
      Omit<client.JobOptions, 'options'>,
      Pick<JobFields, 'operations' | 'retention' | 'webhook'>
    >
  >,
  None<Difference<client.Job, z.infer<typeof JobResponse>>>,
  None<Difference<Omit<client.CreateBatchRequest, 'options'>, Omit<BatchFields, 'options'>>>,
  None<Difference<client.Batch, z.infer<typeof BatchResponse>>>,
  None<Difference<client.Source, z.infer<typeof SourceResponse>>>,
  None<Difference<client.SourceEventReceipt, z.infer<typeof EventReceipt>>>,
  None<Difference<client.BatchRow, z.input<typeof ItemRow>>>,
  None<Difference<client.BatchResult, z.infer<typeof ResultRow>>>,
  None<Difference<client.BatchError, z.infer<typeof ErrorRow>>>,
  None<Difference<client.BatchManifestRow, z.infer<typeof ManifestRow>>>,
  None<
    Difference<Omit<client.CreateFeedFromUrlRequest, 'retention'>, Omit<FeedFields, 'retention'>>
  >,
  None<Difference<FeedSeconds, z.output<typeof FeedJson>['retention']['outputSeconds']>>,
  None<
    Difference<
      Omit<client.FeedUploadOptions, Converted | 'fixRules' | 'mapping'>,
      Omit<FeedUpload, Converted | 'fixRules' | 'mapping' | 'dryRun'>
    >
  >,
  None<
    Difference<
      Required<Pick<client.FeedUploadOptions, Converted>>,
      Pick<z.output<typeof FeedQuery>, Converted>
    >
  >,
  None<Difference<client.ReviewPage, z.infer<typeof ReviewPage>>>,
  None<Difference<client.ReviewSummary, z.infer<typeof ReviewSummary>>>,
  None<Difference<client.DuplicatesPage, z.infer<typeof DuplicatesPage>>>,
  None<Difference<client.ReviewRowHistory, z.infer<typeof ReviewRowHistory>>>,
  None<Difference<client.ReviewDecisionRequest, z.infer<typeof DecisionRequest>>>,
  None<Difference<client.ReviewApprovalRequest, z.infer<typeof ApprovalRequest>>>,
  None<Difference<client.ReviewApproval, z.infer<typeof ApprovalResponse>>>,
  None<Difference<client.ExportPolicy, z.infer<typeof exportPolicyField>>>,
  None<Difference<client.Feed, z.infer<typeof FeedResponse>>>,
  None<Difference<client.FeedInspection, FeedInspection>>,
  None<Difference<client.FeedRun, z.infer<typeof RunResponse>>>,
  None<Difference<client.FeedAttributes, z.input<typeof FeedAttributes>>>,
  None<Difference<client.ClassifyOptions, z.input<typeof ClassifyOptions>>>,
  None<Difference<client.ClassifyResponse, z.infer<typeof ClassifyResponse>>>,
  None<Difference<client.OutfitDescription, z.infer<typeof OutfitDescription>>>,
  None<Difference<client.TaxonomyOptionsQuery, z.input<typeof OptionsQuery>>>,
  None<Difference<client.TaxonomyOptionsResponse, z.infer<typeof OptionsResponse>>>,
  None<Difference<client.TargetsRequest, z.input<typeof TargetsRequest>>>,
  None<Difference<client.TargetsResponse, z.infer<typeof TargetsResponse>>>,
  None<
    Difference<
      client.CandidatesRequest,
      Tagged<z.infer<typeof CandidatesRequest>, z.input<typeof CandidatesRequest>>
    >
  >,
  None<Difference<client.CandidatesResponse, z.infer<typeof CandidatesResponse>>>,
  None<Difference<Omit<client.ScoreRequest, Echoed>, Omit<ScoreFields, Echoed>>>,
  None<
    Difference<client.ScoredCandidate, Pick<ScoreFields['candidates'][number], 'id' | 'itemIds'>>
  >,
  None<Difference<client.ScoreResponse, z.infer<typeof ScoreResponse>>>,
  None<
    Difference<
      client.OutfitsRequest,
      Tagged<z.infer<typeof OutfitsRequest>, z.input<typeof OutfitsRequest>>
    >
  >,
  None<Difference<client.OutfitsResponse, z.infer<typeof OutfitsResponse>>>,
  None<
    Difference<client.DayRequest, Tagged<z.infer<typeof DayRequest>, z.input<typeof DayRequest>>>
  >,
  None<Difference<client.DayResponse, z.infer<typeof DayResponse>>>,
  None<
    Difference<client.TripRequest, Tagged<z.infer<typeof TripRequest>, z.input<typeof TripRequest>>>
  >,
  None<Difference<client.TripResponse, z.infer<typeof TripResponse>>>,
  None<Difference<client.CalibrateRequest, z.input<typeof CalibrateRequest>>>,
  None<Difference<client.CalibrateResponse, z.infer<typeof CalibrateResponse>>>,
  None<Difference<client.MetaQuery, z.input<typeof MetaQuery>>>,
  None<Difference<client.MetaResponse, z.infer<typeof MetaResponse>>>,
  None<Difference<client.ParamsResponse, z.infer<typeof ParamsResponse>>>,
];
