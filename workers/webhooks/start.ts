import type { WorkerServices } from '../worker-services.ts';
import { deliverWebhook, failDelivery, startOutbox } from './deliver.ts';

/** A delivery mostly waits for its receiver. */
const CONCURRENT_DELIVERIES = 64;

/** Starts the delivery of webhooks, from the outbox to the receivers. */
export function startWebhooks(worker: WorkerServices) {
  const consumer = worker.consume(
    'webhook',
    { 'deliver-webhook': deliverWebhook(worker) },
    {
      concurrency: CONCURRENT_DELIVERIES,
      onFailed: (jobId) => failDelivery(worker, jobId),
      unrecorded: 'delivery failure not recorded',
    },
  );
  const stopOutbox = startOutbox(worker);
  return {
    async close(): Promise<void> {
      await stopOutbox();
      await consumer.close();
    },
  };
}
