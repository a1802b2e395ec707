import type { FeedRunStages } from '../feeds/start.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';
import { requeueLostRows } from './complete.ts';
import { createBatchReader, createRowLimits, startDispatcher } from './dispatcher.ts';
import { failRow, runRow } from './run-row.ts';
import { sweepBatches } from './sweep.ts';
import { Window } from './window.ts';

/** Rows in addition to the engine's slots, while their images are read and results are written. */
const STORING_ROWS = 6;

export function startBatches(
  worker: WorkerServices,
  objects: SourceObjects,
  feedRuns: FeedRunStages,
) {
  const { batches, blobs, queues, slots } = worker;
  const window = new Window({ batches, blobs, queue: queues.bulk });
  const ending = { ...worker, window, feedRuns };
  const consumer = worker.consume(
    'bulk',
    { 'run-row': runRow(worker, objects) },
    {
      concurrency: slots + STORING_ROWS,
      onFailed: (jobId) => failRow(worker, jobId),
      unrecorded: 'row failure not recorded',
    },
  );
  const rowLimits = createRowLimits();
  const stopDispatcher = startDispatcher({
    ...ending,
    rowLimits,
    readBatches: createBatchReader(batches),
  });
  return {
    cancel: consumer.cancel,
    /** Handles due batches; returns how many. */
    sweep: (nowMillis: number): Promise<number> =>
      sweepBatches(worker, feedRuns, (batch) => requeueLostRows(ending, batch), nowMillis),
    async close(): Promise<void> {
      await Promise.all([stopDispatcher(), consumer.close()]);
    },
  };
}
