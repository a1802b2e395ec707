import type { Redis } from 'ioredis';
import { batchEraser } from '../../src/intake/batches/batch-eraser.ts';
import { createBatchRetention } from '../../src/intake/batches/batch-retention.ts';
import type { BatchRecord } from '../../src/intake/batches/batches.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { JobFact } from '../attempt.ts';
import { takeJobs } from '../take-jobs.ts';
import { createBatchReader } from './batch-reader.ts';
import { mend } from './complete.ts';
import { startDispatcher } from './dispatcher.ts';
import { failRow, type RunRowDeps, runRow } from './run-row.ts';
import { sweepBatches } from './sweep.ts';
import { createWindow } from './window.ts';

export interface BatchDeps extends RunRowDeps {
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
export function startBatches(deps: BatchDeps) {
  const { redis, batches, blobs, log, now } = deps;
  const queue = openQueue('bulk', redis, log);
  const window = createWindow({ batches, blobs, queue });
  const ends = { batches, blobs, queue, redis, window, finishRun: deps.finishRun, now };
  const taker = takeJobs(
    'bulk',
    { 'run-row': runRow(deps) },
    {
      ...{ connection: deps.blocking, concurrency: deps.concurrency, log, done: deps.done, now },
      givenUp(jobId) {
        failRow(deps, queue, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'row not ended'),
        );
      },
    },
  );
  const stopPump = startDispatcher({
    ...ends,
    window,
    look: createBatchReader(batches),
    slots: deps.slots,
    log,
  });
  const keeping = createBatchRetention(batches, batchEraser(blobs));
  return {
    cancel: taker.cancel,
    /** Sees after batches whose time has come; answers how many. */
    sweep: (nowMillis: number): Promise<number> =>
      sweepBatches(
        {
          ...{ batches, keeping, expireRun: deps.expireRun, readRun: deps.readRun },
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
