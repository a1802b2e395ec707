import type { Redis } from 'ioredis';
import { batchEraser } from '../../src/intake/batches/batch-eraser.ts';
import { createBatchRetention } from '../../src/intake/batches/batch-retention.ts';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { FeedAccess } from '../../src/intake/feeds/feed-access.ts';
import { createReviewDecisions } from '../../src/intake/review/decisions.ts';
import type { CarriedDecisions } from '../../src/intake/review/review-files.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Consume } from '../consume-jobs.ts';
import { HostHealth } from '../fetch/host-health.ts';
import type { FetchInputDeps } from '../fetch-input.ts';
import type { ImageDeps } from '../image-job.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import { createBatchReader } from './batch-reader.ts';
import { requeueLostRows } from './complete.ts';
import { startDispatcher } from './dispatcher.ts';
import { FeedPhotos } from './feed-photos.ts';
import { createRowLimits } from './row-limits.ts';
import { failRow, runRow } from './run-row.ts';
import { sweepBatches } from './sweep.ts';
import { createWindow } from './window.ts';

/** Rows in addition to the engine's slots, while their images are read and results are written. */
const STORING_ROWS = 6;

/** What a feed does at each stage of its runs, which are batches. */
interface FeedRunStages {
  /** Queues the import of an open run, if it is missing in the queue. */
  read(run: BatchRecord): Promise<void>;
  /** Called before a run becomes `completed`. */
  finish(run: BatchRecord): Promise<void>;
  /** Returns what people decided in the run before. */
  carriedInto(run: BatchRecord): Promise<CarriedDecisions>;
  /** Deletes what a feed retains for an expired run. */
  expire(run: BatchRecord): Promise<void>;
}

interface StartBatchesDeps {
  consume: Consume;
  redis: Redis;
  blobs: Blobs;
  batches: Batches;
  images: ImageDeps;
  inputs: FetchInputDeps;
  /** Objects of sources. */
  objects: SourceObjects;
  /** Images this worker processes at once. */
  slots: number;
  /** Images that all live workers process at once. */
  allSlots(): Promise<number>;
  feedRuns: FeedRunStages;
  log: Logger;
  /** Redis's time. */
  now: Clock;
}

/** Starts the consumer and the dispatcher of the rows of batches and feed runs. */
export function startBatches(deps: StartBatchesDeps) {
  const { redis, blobs, batches, images, inputs, objects, feedRuns, log, now } = deps;
  const queue = openQueue('bulk', redis, log);
  const window = createWindow({ batches, blobs, queue });
  const endDeps = {
    batches,
    blobs,
    queue,
    redis,
    window,
    reviews: createReviewDecisions(redis),
    finishRun: feedRuns.finish,
    carriedInto: feedRuns.carriedInto,
    now,
  };
  const consumer = deps.consume(
    'bulk',
    {
      'run-row': runRow({
        batches,
        photos: new FeedPhotos(redis, blobs),
        health: new HostHealth(now),
        access: new FeedAccess(redis),
        images,
        inputs,
        objects,
        now,
      }),
    },
    {
      concurrency: deps.slots + STORING_ROWS,
      onFailed(jobId) {
        failRow({ batches, blobs, now }, queue, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'row failure not recorded'),
        );
      },
    },
  );
  const stopDispatcher = startDispatcher({
    ...endDeps,
    window,
    rowLimits: createRowLimits(),
    readBatches: createBatchReader(batches),
    slots: deps.allSlots,
    log,
  });
  const sweepDeps = {
    batches,
    retention: createBatchRetention(batches, batchEraser(blobs)),
    requeueLostRows: (batch: BatchRecord) => requeueLostRows(endDeps, batch),
    expireRun: feedRuns.expire,
    readRun: feedRuns.read,
  };
  return {
    cancel: consumer.cancel,
    /** Handles due batches; returns how many. */
    sweep: (nowMillis: number): Promise<number> => sweepBatches(sweepDeps, nowMillis),
    async close(): Promise<void> {
      await Promise.all([stopDispatcher(), consumer.close()]);
      await queue.close();
    },
  };
}
