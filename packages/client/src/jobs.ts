import type { Calls } from './calls.ts';
import type { Job } from './contract.ts';
import { clientError } from './error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { CallOptions, JobsClient } from './interface.ts';
import { formPayload } from './payload.ts';

const PATH = '/intake/v1/jobs';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const PENDING_STATUSES: readonly Job['status'][] = ['queued', 'active'];
/** Delay between two polls, milliseconds; doubles with each. */
const POLL = { firstMillis: 250, maxMillis: 2000 } as const;

/** The methods of `client.jobs`. */
export function jobsClient(calls: Calls): JobsClient {
  const { requestJson, getImage, post, remove, policy, defaultTimeoutMillis } = calls;
  const get = (id: string, options?: CallOptions) => calls.get<Job>(pathOf(id), options);

  return {
    get,
    create: (job, options) =>
      requestJson(
        {
          method: 'POST',
          path: PATH,
          body: formPayload({ ...job }),
          ...(options?.idempotencyKey && { headers: idempotencyKey(options.idempotencyKey) }),
        },
        options,
      ),

    async wait(id, { signal, timeoutMillis = defaultTimeoutMillis } = {}) {
      const deadline = policy.now() + timeoutMillis;
      const stop = signal ?? new AbortController().signal;
      let delayMillis: number = POLL.firstMillis;
      for (;;) {
        const leftMillis = deadline - policy.now();
        const job = await get(id, { signal: stop, timeoutMillis: Math.max(1, leftMillis) });
        if (!PENDING_STATUSES.includes(job.status)) return job;
        if (leftMillis <= delayMillis) {
          throw clientError('timeout', `The job ${id} is still ${job.status}`);
        }
        await policy.sleep(delayMillis, stop);
        delayMillis = Math.min(2 * delayMillis, POLL.maxMillis);
      }
    },

    result: (id, options) => getImage(`${pathOf(id)}/result`, options),
    garment: (id, index, options) =>
      getImage(`${pathOf(id)}/garments/${index}`, options, 'image/png'),
    cancel: (id, options) => post(`${pathOf(id)}/cancel`, options),
    refine(id, { image, alpha, strokes }, options) {
      const body = formPayload({ image, alpha, strokes: JSON.stringify(strokes) });
      return post(`${pathOf(id)}/refinements`, options, body);
    },
    undoRefinement: (id, version, options) =>
      remove(`${pathOf(id)}/refinements/${version}`, options),
    delete: (id, options) => remove(pathOf(id), options),
  };
}
