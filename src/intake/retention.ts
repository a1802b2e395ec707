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
