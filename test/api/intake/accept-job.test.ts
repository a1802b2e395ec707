import { expect, test } from 'vitest';
import { acceptJob } from '../../../src/api/intake/accept-job.ts';
import type { JobRequest } from '../../../src/api/intake/job-request.ts';
import type { Call, Caller } from '../../../src/http/route.ts';
import { hostClock } from '../../../src/platform/clock.ts';

const REQUEST: JobRequest = {
  source: { imageUrl: 'https://shop.example/a.jpg' },
  operations: ['remove-background'],
  options: {},
  outputSeconds: 100,
} as never;

/** Accepts a job while its client leaves, or stays. Returns what was done. */
async function accept(leaves: boolean): Promise<string[]> {
  const done: string[] = [];
  const leaving = new AbortController();
  let admission: { refund(): Promise<void>; resize(): Promise<void> } | undefined = {
    refund: async () => void done.push('refund'),
    resize: async () => {},
  };
  const services = {
    blobs: { put: async () => void done.push('put') },
    storedBytes: {
      async reserve() {
        if (leaves) {
          leaving.abort(new Error('left'));
          // As the server does when a connection closes.
          await admission?.refund();
          admission = undefined;
        }
        return {};
      },
      release: async () => void done.push('release'),
    },
    jobs: { create: async () => void done.push('create'), remove: async () => {} },
    queues: { async: { turns: { next: async () => [1] }, add: async () => void done.push('add') } },
    limits: { maxPixels: 1, maxSidePixels: 1 },
    rulePacks: {},
    readClientLimits: async () => ({}),
    now: hostClock,
  } as unknown as Parameters<typeof acceptJob>[0];
  const call = {
    caller: { client: 'a', weight: 1, meter: 'a', retention: undefined } as unknown as Caller,
    requestId: 'r',
    signal: leaving.signal,
    takeQuota: () => {
      const taken = admission;
      admission = undefined;
      return taken;
    },
  } as unknown as Call;
  await acceptJob(services, 'job_1', REQUEST, call).catch((error) => done.push(error.message));
  return done;
}

test('a job whose client leaves while it is accepted is not accepted without its charge', async () => {
  expect(await accept(false)).toEqual(['put', 'create', 'add']);
  expect(await accept(true)).toEqual(['refund', 'release', 'left']);
});
