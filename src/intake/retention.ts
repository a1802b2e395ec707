import { z } from 'zod';
import { CutOutOptions } from '../output/options.ts';
import { OPERATIONS } from '../queue/job-data.ts';
import type { Blobs } from '../storage/blobs.ts';

/** What the record of every accepted job, batch and feed has. */
export const Accepted = z.object({
  id: z.string(),
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  /** Retention: of inputs while they wait, of results from the end, of the record after those. */
  inputSeconds: z.number().optional(),
  outputSeconds: z.number(),
  recordSeconds: z.number().optional(),
  createdAt: z.iso.datetime(),
  /** Where the client receives the event of the end. */
  webhook: z.object({ url: z.string() }).optional(),
  /** Turns of its client's jobs for each turn of a client with weight 1; 1 if absent. */
  weight: z.number().optional(),
});

/** Which cut-outs downloads have unless they say so; all without it. */
export const ExportPolicy = z.enum(['all', 'passed', 'approved']).optional();

/**
 * How long the input, results and record of a job, batch or feed run are retained, seconds. This file
 * owns the policy: its defaults, and which of several policies applies. Deleting is done by
 * `job-retention.ts`, `batches/batch-retention.ts` and `feeds/feed-retention.ts`.
 */
export interface Policy {
  /** An input whose processing has not begun by then is deleted, and the work fails. */
  inputSeconds: number;
  /** Results, from the end of the work. */
  outputSeconds: number;
  /** The record, from the expiry of the results. */
  recordSeconds: number;
}

const DAY_SECONDS = 86_400;

/** Applies where no policy says otherwise; results have no default here. */
export const DEFAULT_RETENTION = {
  inputSeconds: 7 * DAY_SECONDS,
  recordSeconds: DAY_SECONDS,
} as const;

/** Returns, for each time, the shortest of the requested policy and the others. */
export function shortestRetention(
  requested: Policy,
  ...policies: readonly { readonly [Time in keyof Policy]?: number | undefined }[]
): Policy {
  const shortest = (time: keyof Policy) =>
    Math.min(requested[time], ...policies.flatMap((policy) => policy[time] ?? []));
  return {
    inputSeconds: shortest('inputSeconds'),
    outputSeconds: shortest('outputSeconds'),
    recordSeconds: shortest('recordSeconds'),
  };
}

/** The receipt of a deletion that a client requested. */
export const Erasure = z.object({
  erasedAt: z.iso.datetime(),
  blobs: z.number().meta({
    description: 'Images, rows and results; where the storage keeps versions, all their versions',
  }),
  incomplete: z.literal(true).optional().meta({
    description: 'The storage may keep versions of them that cannot be deleted; else absent',
  }),
});
export type Erasure = z.infer<typeof Erasure>;

export const erasureOf = (
  storage: Pick<Blobs, 'kept'>,
  erasedAt: string,
  blobs: number,
): Erasure => ({ erasedAt, blobs, ...(storage.kept() && { incomplete: true }) });
