/**
 * What goes over the wire, typed from the schemas that the server checks with. Types only: nothing
 * of the server is loaded with the client.
 */

import type { z } from 'zod';
import type { ErrorRow, ManifestRow, ResultRow } from '../api/intake/batches/reports.ts';
import type { CreateBatchRequest as BatchSchema, ItemRow } from '../api/intake/batches/request.ts';
import type { BatchCounts, BatchResponse } from '../api/intake/batches/response.ts';
import type { FeedJson, FeedQuery } from '../api/intake/feeds/request.ts';
import type { FeedResponse, RunResponse } from '../api/intake/feeds/response.ts';
import type { JobJson } from '../api/intake/job-request.ts';
import type { JobResponse } from '../api/intake/job-response.ts';
import type { ParamsResponse as ParamsSchema } from '../look/schema.ts';
import type { QualityChoice } from '../output/quality.ts';
import type { OutputRequest } from '../output/request.ts';
import type { OptionsQuery as TaxonomyQuery } from '../taxonomy/dictionary/options.ts';
import type {
  FeedAttributes as AttributesSchema,
  ClassifyOptions as OptionsSchema,
} from '../taxonomy/request-schema.ts';

export type { CalibrateRequest, CalibrateResponse } from '../look/calibration/calibrate-schema.ts';
export type { DayRequest, DayResponse } from '../look/day.ts';
export type { MetaQuery, MetaResponse } from '../look/meta.ts';
export type { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../look/responses.ts';
export type { TargetsRequest, TargetsResponse } from '../look/schema.ts';
export type {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../look/wardrobe/wardrobe-request.ts';
export type { OptionsResponse } from '../taxonomy/dictionary/options.ts';
export type { ClassifyResponse } from '../taxonomy/response-schema.ts';
export type { BatchCounts };

type JobFields = z.input<typeof JobJson>;
type BatchFields = z.input<typeof BatchSchema>;
export type Operation = NonNullable<JobFields['operations']>[number];
export type Quality = z.infer<typeof QualityChoice>;
/** How a cut-out is made and drawn; a background in bytes stands beside these. */
export interface CutOutWish extends Omit<z.infer<typeof OutputRequest>, 'backgroundImage'> {
  quality?: Quality | undefined;
}

/** What is asked of a job, beside its images. */
export interface JobWish extends Pick<JobFields, 'operations' | 'retention' | 'webhook'> {
  options?: CutOutWish | undefined;
}
export type Job = z.infer<typeof JobResponse>;

export interface CreateBatchRequest extends Omit<BatchFields, 'options'> {
  options?: CutOutWish | undefined;
}
export type Batch = z.infer<typeof BatchResponse>;
export type BatchRow = z.input<typeof ItemRow>;
export type BatchResult = z.infer<typeof ResultRow>;
export type BatchError = z.infer<typeof ErrorRow>;
export type BatchManifestRow = z.infer<typeof ManifestRow>;

/** A feed by its address. */
export type FeedByUrl = z.input<typeof FeedJson>;
/** What is asked of a feed that is sent as the body. */
export type FeedFields = Partial<
  Omit<z.input<typeof FeedQuery>, 'outputSeconds' | 'operations'>
> & {
  operations?: readonly Operation[];
  outputSeconds?: number;
};
export type Feed = z.infer<typeof FeedResponse>;
export type FeedRun = z.infer<typeof RunResponse>;

export type ParamsResponse = z.infer<typeof ParamsSchema>;
export type FeedAttributes = z.input<typeof AttributesSchema>;
export type ClassifyOptions = z.input<typeof OptionsSchema>;
export type OptionsQuery = Partial<z.input<typeof TaxonomyQuery>>;

/** What an upload of rows or files came to. */
export interface Uploaded {
  accepted: number;
  rejected: number;
  /** Of the upload, bytes that are in; of files, how many. */
  offset: number;
  /** The first rows that were rejected. */
  errors: { line: number; customId?: string; problem: { type: string; detail: string } }[];
  warnings: string[];
}

/** What was deleted: `blobs` counts images, rows and results. */
export interface Receipt {
  id: string;
  erasedAt: string;
  blobs: number;
}

/** What a key may use, and what is left of it. */
export interface Usage {
  client: string;
  scopes: string[];
  rate: { limit: number; remaining: number; resetSeconds: number };
  quota: { limit: number; remaining: number; resetsAt: string };
}

/** How far a batch or a feed's run is. */
export interface Progress {
  event: 'progress' | 'completed';
  id: string;
  status: Batch['status'];
  counts: BatchCounts;
}

/** One line of a feed's report: the run, then each row. */
export type ReportLine =
  | ({ kind: 'run' } & FeedRun)
  | { kind: 'rejected'; id?: string; title?: string; line: number; reasons: string[] }
  | {
      kind: 'product';
      id: string;
      title?: string;
      line: number;
      notes: string[];
      images: {
        url: string;
        outcome: 'changed' | 'unchanged' | 'failed' | 'not-done';
        reason?: string;
        picture?: string;
      }[];
    };
