import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import type { Idempotency } from '../../intake/idempotency.ts';
import { jobLinks } from '../../intake/job-records.ts';
import { unlessDefault } from '../../output/quality.ts';
import { cutOutHeaders, cutOutResponseDoc } from '../removal/cut-out-response.ts';
import { idempotently } from './idempotent.ts';
import { checkScopes, type JobActions } from './job-actions.ts';
import { JobForm, JobJson, type JobRequest, readJobRequest } from './job-request.ts';
import { JOBS_PATH, JobResponse, jobResponse } from './job-response.ts';

const PREFIX = '/intake/v1';

/** What makes two requests the same; the image counts by its bytes, not by how they were sent. */
function samenessOf({ source, operations, options, outputSeconds, webhook }: JobRequest): unknown {
  const image =
    'imageUrl' in source
      ? source.imageUrl
      : createHash('sha256').update(source.image).digest('hex');
  const asked = Object.values(unlessDefault(options));
  const more = [...asked, ...(webhook ? [webhook.url] : [])];
  return ['POST', JOBS_PATH, image, operations, outputSeconds, ...more];
}

const createJob =
  (intake: JobActions, idempotency: Idempotency) =>
  async (call: Call): Promise<Reply> => {
    const wish = readJobRequest(await call.imageForm({ member: 'imageBase64', background: true }));
    checkScopes(wish.operations, call);
    return idempotently(idempotency, call, samenessOf(wish), () => intake.start(wish, call));
  };

const cancelJob =
  (intake: JobActions, idempotency: Idempotency) =>
  async (call: Call): Promise<Reply> => {
    const job = await intake.own(call);
    return idempotently(idempotency, call, ['POST', jobLinks(job.id).cancel], async () => ({
      status: 200,
      headers: {},
      body: jobResponse(await intake.cancel(job)),
    }));
  };

const Usage = z.object({
  client: z.string(),
  scopes: z.array(z.string()),
  rate: z.object({ limit: z.number(), remaining: z.number(), resetSeconds: z.number() }),
  quota: z.object({ limit: z.number(), remaining: z.number(), resetsAt: z.iso.datetime() }),
});

function usage({ caller, standing }: Call): Reply {
  if (!caller || !standing) throw new Error('a keyed route without a caller');
  const { rate, quota } = standing;
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  return json({
    client: caller.client,
    scopes: caller.scopes,
    rate: { limit: rate.limit, remaining: rate.remaining, resetSeconds: rate.resetSeconds },
    quota: { limit: quota.limit, remaining: quota.remaining, resetsAt: midnight.toISOString() },
  });
}

const Receipt = z.object({ id: z.string(), erasedAt: z.iso.datetime(), blobs: z.number() });

const Delivery = z.object({
  delivery: z.enum(['stream', 'redirect']).default('stream').meta({
    description: '`redirect` answers 303 with an address that needs no key for some minutes',
  }),
});

const jobDoc = (description: string) => ({
  description,
  content: { 'application/json': JobResponse },
});

/** The routes of intake: work that is accepted now and done later. */
export const jobRoutes = (intake: JobActions, idempotency: Idempotency): Route[] => [
  route({
    method: 'POST',
    path: JOBS_PATH,
    scope: 'any-key',
    summary: 'Hand in an image; the work is done later',
    description:
      'Send the image as the file part `image`, as `imageBase64`, or by its address as `imageUrl`. The key needs the scopes of the operations asked for. With an `Idempotency-Key` a request sent again within a day answers the same job. With `webhook` its end is told by a signed message; that needs a secret, made once by `POST /intake/v1/webhooks/secret`.',
    imageForm: { 'multipart/form-data': JobForm, 'application/json': JobJson },
    quota: 1,
    answers: { 202: { ...jobDoc('Accepted'), headers: ['Location', 'Retry-After'] } },
    problems: ['conflict', 'idempotency-mismatch'],
    handle: createJob(intake, idempotency),
  }),
  route({
    method: 'GET',
    path: `${JOBS_PATH}/:id`,
    scope: 'any-key',
    summary: 'How far a job is, and its results',
    answers: { 200: jobDoc('The job') },
    problems: ['not-found'],
    handle: async (call) => json(jobResponse(await intake.own(call))),
  }),
  route({
    method: 'GET',
    path: `${JOBS_PATH}/:id/result`,
    scope: 'any-key',
    summary: 'The cut-out of a job',
    description: 'Where the job failed, its own problem is the answer.',
    query: Delivery,
    answers: {
      200: cutOutResponseDoc,
      303: { description: 'Where the cut-out is to be had', headers: ['Location'] },
    },
    problems: ['not-found', 'conflict', 'gone', 'upstream-failed', 'unprocessable-image'],
    async handle(call) {
      const job = await intake.own(call);
      if (call.query.delivery === 'redirect') {
        const location = await intake.link(job, call.signal);
        return { status: 303, headers: { location, 'cache-control': 'private, no-store' } };
      }
      const { body, cutout } = await intake.result(job, call.signal);
      return { headers: cutOutHeaders(cutout), body };
    },
  }),
  route({
    method: 'POST',
    path: `${JOBS_PATH}/:id/cancel`,
    scope: 'any-key',
    summary: 'Call a job off; its quota is given back',
    answers: { 200: jobDoc('The canceled job') },
    problems: ['not-found', 'conflict', 'gone', 'idempotency-mismatch'],
    handle: cancelJob(intake, idempotency),
  }),
  route({
    method: 'DELETE',
    path: `${JOBS_PATH}/:id`,
    scope: 'any-key',
    summary: 'Erase a job with its image and results',
    answers: {
      200: {
        description: 'What was deleted: `blobs` counts images and results',
        content: { 'application/json': Receipt },
      },
    },
    problems: ['not-found'],
    handle: async (call) => json(await intake.erase(await intake.own(call))),
  }),
  route({
    method: 'GET',
    path: `${PREFIX}/usage`,
    scope: 'any-key',
    summary: 'What this key may use, and what is left of it',
    answers: { 200: { description: 'Usage', content: { 'application/json': Usage } } },
    handle: usage,
  }),
];
