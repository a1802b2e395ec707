import { readPicture } from './answer.ts';
import type { Job } from './contract.ts';
import { clientError } from './error.ts';
import type { CallOptions, JobsClient } from './interface.ts';
import { formPayload, oneTime } from './payload.ts';
import type { Transport } from './transport.ts';

const PATH = '/intake/v1/jobs';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const UNDER_WAY: readonly Job['status'][] = ['queued', 'active'];
/** Between two looks at a job, milliseconds; each is twice as long as the one before. */
const LOOK = { firstMillis: 250, mostMillis: 2000 } as const;

/** Images handed in now and worked on later. */
export function jobsClient({ ask, call, policy, usualMillis }: Transport): JobsClient {
  const get = (id: string, options?: CallOptions) =>
    ask<Job>({ method: 'GET', path: pathOf(id) }, options);

  return {
    get,
    create: (wish, options) =>
      ask(
        { method: 'POST', path: PATH, body: formPayload({ ...wish }), headers: oneTime() },
        options,
      ),

    async wait(id, { signal, timeoutMillis = usualMillis } = {}) {
      const deadline = policy.now() + timeoutMillis;
      const stop = signal ?? new AbortController().signal;
      for (
        let millis: number = LOOK.firstMillis;
        ;
        millis = Math.min(2 * millis, LOOK.mostMillis)
      ) {
        const left = deadline - policy.now();
        const job = await get(id, { signal: stop, timeoutMillis: Math.max(1, left) });
        if (!UNDER_WAY.includes(job.status)) return job;
        if (left <= millis) throw clientError('timeout', `The job ${id} is still ${job.status}`);
        await policy.sleep(millis, stop);
      }
    },

    result: (id, options) =>
      call({ method: 'GET', path: `${pathOf(id)}/result` }, readPicture(), options),
    cancel: (id, options) =>
      ask({ method: 'POST', path: `${pathOf(id)}/cancel`, headers: oneTime() }, options),
    delete: (id, options) => ask({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
