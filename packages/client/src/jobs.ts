import type { Job } from './contract.ts';
import { clientError } from './error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { CallOptions, JobsClient } from './interface.ts';
import { formPayload } from './payload.ts';
import { readImage } from './response.ts';
import type { Transport } from './transport.ts';

const PATH = '/intake/v1/jobs';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const PENDING_STATUSES: readonly Job['status'][] = ['queued', 'active'];
/** Delay between two polls, milliseconds; doubles with each. */
const POLL = { firstMillis: 250, maxMillis: 2000 } as const;

/** The methods of `client.jobs`. */
export function jobsClient(transport: Transport): JobsClient {
  const { requestJson, request, policy, defaultTimeoutMillis } = transport;
  const get = (id: string, options?: CallOptions) =>
    requestJson<Job>({ method: 'GET', path: pathOf(id) }, options);

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

    result: (id, options) =>
      request({ method: 'GET', path: `${pathOf(id)}/result` }, readImage(), options),
    garment: (id, index, options) =>
      request(
        { method: 'GET', path: `${pathOf(id)}/garments/${index}` },
        readImage('image/png'),
        options,
      ),
    cancel: (id, options) => requestJson({ method: 'POST', path: `${pathOf(id)}/cancel` }, options),
    refine: (id, { image, alpha, strokes }, options) => {
      const body = formPayload({ image, alpha, strokes: JSON.stringify(strokes) });
      const path = `${pathOf(id)}/refinements`;
      return requestJson({ method: 'POST', path, body }, options);
    },
    undoRefinement: (id, version, options) =>
      requestJson({ method: 'DELETE', path: `${pathOf(id)}/refinements/${version}` }, options),
    delete: (id, options) => requestJson({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
