import { PREFIX } from '../../platform/redis.ts';

/** The lease of the one worker that hands out rows. */
export const DISPATCH_LEASE = `${PREFIX}:pump-lease`;
/** Ids of sealed batches that have not ended, by when they were sealed. */
export const UNDER_WAY = `${PREFIX}:batches`;
/** Ids of batches by the time at which the sweeper looks at them next. */
export const DUE_TIMES = `${PREFIX}:batches-due`;

/** Fields of a record that count its rows by reason begin with it. */
export const REASON_FIELD = 'reason:';

/** Set: ids of a client's batches that have not ended, open ones included; no runs of feeds. */
export const unendedKey = (client: string): string => `${PREFIX}:batches-unended:${client}`;

export const batchKey = (id: string): string => `${PREFIX}:batch:${id}`;

/** Keys of what Redis holds of one batch. */
export const batchRedisKeys = (id: string) => {
  const record = batchKey(id);
  return {
    record,
    /** List: number of each chunk's first row. */
    chunkStarts: `${record}:chunks`,
    /** Bitmap: chunks whose results are in object storage. */
    writtenChunks: `${record}:written`,
    /** Set: chunks whose rows have all ended and whose results are not in object storage yet. */
    fullChunks: `${record}:full`,
    /** Hash: quota units reserved for rows, by the key they were counted under. */
    heldQuota: `${record}:held`,
    uploadLease: `${record}:upload`,
    /**
     * Hash: decisions by row (`d:`), pending rows that need a review by thousandths of confidence (`p:`), bulk
     * approvals (`rules`), the number of decided `rows` and of `versions` of mended ones, the last `sequence`.
     */
    review: `${record}:review`,
    /** Hash: mended cut-outs by row. */
    refined: `${record}:refined`,
    /** Hash: results of a chunk that are not in object storage yet, by row. */
    results: (chunk: number) => `${record}:results:${chunk}`,
  };
};
