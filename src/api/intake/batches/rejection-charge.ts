import type { Allowance, Limits } from '../../../http/limits.ts';
import { Problem } from '../../../platform/problem.ts';
import type { IncomingRow } from './incoming-rows.ts';

/** Rejected rows that cost as much of the rate limit as one request. A row that brings an image costs as much alone. */
const ROWS_PER_REQUEST = 50;

/** Charges the rows that an upload brings in vain to its key's rate limit: they use no quota. */
export function createRejectionCharge(limits: Pick<Limits, 'admit'>, allowance: Allowance) {
  let rows = 0;
  /** @throws Problem rate-limit-exceeded, upstream-unavailable */
  return async ({ bringsImage }: Pick<IncomingRow, 'bringsImage'>): Promise<void> => {
    rows += bringsImage ? ROWS_PER_REQUEST : 1;
    if (rows < ROWS_PER_REQUEST) return;
    rows -= ROWS_PER_REQUEST;
    try {
      await limits.admit(allowance, 0);
    } catch (error) {
      if (!(error instanceof Problem) || error.type !== 'rate-limit-exceeded') throw error;
      const detail =
        'So many rows were rejected that they used up the rate limit; resume from "offset" after Retry-After';
      throw new Problem(error.type, detail, { headers: error.headers });
    }
  };
}
