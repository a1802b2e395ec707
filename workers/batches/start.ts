import type { Redis } from 'ioredis';
import type { BatchRecord } from '../../src/jobs/batches/batches.ts';
import { createBatchKeeping } from '../../src/jobs/batches/keeping.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import type { Logger } from '../../src/log.ts';
import { batchBin } from '../../src/store/batch-bin.ts';
import type { JobFact } from '../attempt.ts';
import { takeJobs } from '../take-jobs.ts';
import { mend } from './ends.ts';
import { createLook } from './look.ts';
import { startPump } from './pump.ts';
import { giveUpRow, type RunRowParts, runRow } from './run-row.ts';
import { sweepBatches } from './sweep.ts';
import { createWindow } from './window.ts';

export interface BatchParts extends RunRowParts {
  redis: Redis;
  /** For taking jobs; used for nothing else from now on. */
  blocking: Redis;
  /** Rows worked on at once; most of them wait for their image to come. */
  concurrency: number;
  /** Images that all live workers work on at once. */
  slots(): Promise<number>;
  finishRun(run: BatchRecord): Promise<void>;
  expireRun(run: BatchRecord): Promise<void>;
  readRun(run: BatchRecord): Promise<void>;
  log: Logger;
  done(fact: JobFact): void;
  /** Epoch milliseconds, as Redis has it. */
  now(): number;
}

/** Everything a worker does for batches and the runs of feeds. */
export function startBatches(parts: BatchParts) {
  const { redis, batches, blobs, log, now } = parts;
  const queue = openQueue('bulk', redis, log);
  const window = createWindow({ batches, blobs, queue });
  const ends = { batches, blobs, queue, redis, window, finishRun: parts.finishRun, now };
  const taker = takeJobs(
    'bulk',
    { 'run-row': runRow(parts) },
    {
      ...{ connection: parts.blocking, concurrency: parts.concurrency, log, done: parts.done, now },
      givenUp(jobId) {
        giveUpRow(parts, queue, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'row not ended'),
        );
      },
    },
  );
  const stopPump = startPump({
    ...ends,
    window,
    look: createLook(batches),
    slots: parts.slots,
    log,
  });
  const keeping = createBatchKeeping(batches, batchBin(blobs));
  return {
    cancel: taker.cancel,
    /** Sees after batches whose time has come; answers how many. */
    sweep: (nowMillis: number): Promise<number> =>
      sweepBatches(
        {
          ...{ batches, keeping, expireRun: parts.expireRun, readRun: parts.readRun },
          mend: (batch) => mend(ends, batch),
        },
        nowMillis,
      ),
    async close(): Promise<void> {
      await Promise.all([stopPump(), taker.close()]);
      await queue.close();
    },
  };
}
