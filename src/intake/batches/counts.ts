import { BATCH_TERMINAL_STATUSES, type BatchRecord } from './batch-record.ts';

export function batchCounts(batch: BatchRecord) {
  const { status, accepted, rejected, issued, succeeded, failed } = batch;
  const hasEnded = BATCH_TERMINAL_STATUSES.includes(status);
  return {
    accepted,
    rejected,
    succeeded,
    failed,
    queued: hasEnded ? 0 : accepted - issued,
    active: hasEnded ? 0 : issued - succeeded - failed,
    canceled: hasEnded ? accepted - succeeded - failed : 0,
  };
}

export function runCounts(run: BatchRecord) {
  const { upload, accepted, rejected, succeeded, failed, stale, units } = run;
  const [changed, unchanged] = [succeeded - run.unchanged, run.unchanged - stale];
  const rows = upload?.rows ?? 0;
  const outcomes = { unchanged, stale, changed, succeeded, failed, rejected };
  return { rows, images: accepted, ...outcomes, units };
}

/** What the webhook event of the end of a batch or run says of its rows. */
export const endFacts = (batch: BatchRecord) =>
  batch.feedId
    ? { counts: runCounts(batch), reasons: batch.reasons }
    : {
        counts: {
          accepted: batch.accepted,
          rejected: batch.rejected,
          succeeded: batch.succeeded,
          failed: batch.failed,
        },
        reasons: batch.reasons,
      };
