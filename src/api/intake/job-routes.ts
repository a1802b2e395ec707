import { z } from 'zod';
import { INTAKE_RIGHTS } from '../../auth/key-record.ts';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../http/route.ts';
import type { Idempotency } from '../../intake/idempotency.ts';
import { JOBS_PATH, jobLinks, PENDING_STATUSES } from '../../intake/job-records.ts';
import type { Presets } from '../../intake/named-settings.ts';
import { cutOutHeaders, cutOutResponseDoc } from '../removal/cut-out-response.ts';
import { applyPreset } from './accept-options.ts';
import { idempotently, storedJson } from './idempotent.ts';
import { checkScopes, type JobActions } from './job-actions.ts';
import { JobForm, JobJson, readJobRequest } from './job-request.ts';
import {
  ErasureResponse,
  garmentHeaders,
  garmentResponseDoc,
  JobResponse,
  jobResponse,
  RETRY_SOON,
} from './job-response.ts';
import { PageLinks, PageQuery } from './page.ts';

const PREFIX = '/intake/v1';

const createJob =
  (jobs: JobActions, presets: Presets) =>
  async (call: Call): Promise<Reply> => {
    const form = await call.imageForm({
      member: 'imageBase64',
      background: true,
      jsonParts: ['operations', 'retention', 'options', 'webhook'],
      lists: ['operations'],
    });
    const request = await readJobRequest(form, async (options) => {
      const { client } = call;
      return (await applyPreset(presets, client, options, '/options/preset')).options;
    });
    checkScopes(request.operations, call);
    jobs.checkLinks(request);
    return jobs.startOnce(request, call, JOBS_PATH);
  };

const cancelJob =
  (jobs: JobActions, idempotency: Idempotency) =>
  async (call: Call): Promise<Reply> => {
    const job = await jobs.readOwn(call);
    return idempotently(idempotency, call, ['POST', jobLinks(job.id).cancel], async () =>
      storedJson(jobResponse(await jobs.cancel(job))),
    );
  };

const DayUsage = z
  .object({
    limit: z.number(),
    remaining: z.number(),
    resetsAt: z.iso.datetime(),
  })
  .meta({ id: 'DayUsage' });

const Usage = z
  .object({
    client: z.string(),
    scopes: z.array(z.string()),
    intake: z
      .array(z.enum(INTAKE_RIGHTS))
      .meta({ description: 'The parts of `/intake` that the key may use' }),
    rate: z.object({ limit: z.number(), remaining: z.number(), resetSeconds: z.number() }),
    quota: DayUsage,
    storedBytes: DayUsage.meta({ description: 'Bytes of uploaded images, rows and feeds' }),
  })
  .meta({ id: 'Usage' });

async function usage(
  { storedBytes, now }: Pick<Gateway, 'storedBytes' | 'now'>,
  call: Call,
): Promise<Reply> {
  const caller = call.caller;
  const { client, scopes, rights, bytesPerDay } = caller;
  const { rate, quota } = call.rateLimit;
  const midnight = new Date(now());
  midnight.setUTCHours(24, 0, 0, 0);
  const resetsAt = midnight.toISOString();
  const bytesLeft = Math.max(0, bytesPerDay - (await storedBytes.used(caller)));
  return json({
    client,
    scopes,
    intake: rights,
    rate: { limit: rate.limit, remaining: rate.remaining, resetSeconds: rate.resetSeconds },
    quota: { limit: quota.limit, remaining: quota.remaining, resetsAt },
    storedBytes: { limit: bytesPerDay, remaining: bytesLeft, resetsAt },
  });
}

const Delivery = z.object({
  delivery: z.enum(['stream', 'redirect']).default('stream').meta({
    description: '`redirect` responds with 303 and a temporary link that needs no key',
  }),
});

const JobPage = z.object({ jobs: z.array(JobResponse), links: PageLinks }).meta({ id: 'JobPage' });

const jobDoc = jsonDoc('The job', JobResponse);

export const jobRoutes = (
  jobs: JobActions,
  services: Pick<Gateway, 'presets' | 'idempotency' | 'storedBytes' | 'now'>,
): Route[] => [
  route('createJob', `POST ${JOBS_PATH}`, {
    imageForm: { 'application/json': JobJson, 'multipart/form-data': JobForm },
    quota: 1,
    responses: { 202: { ...jobDoc, headers: ['Location', 'Retry-After'] } },
    handle: createJob(jobs, services.presets),
  }),
  route('listJobs', `GET ${JOBS_PATH}`, {
    query: PageQuery,
    responses: { 200: jsonDoc('A page', JobPage) },
    handle: async (call) => json(await jobs.list(call)),
  }),
  route('getJob', `GET ${JOBS_PATH}/:id`, {
    responses: { 200: { ...jobDoc, headers: ['Retry-After'] } },
    async handle(call) {
      const job = await jobs.readOwn(call);
      return json(jobResponse(job), PENDING_STATUSES.includes(job.status) ? RETRY_SOON : {});
    },
  }),
  route('getJobResult', `GET ${JOBS_PATH}/:id/result`, {
    query: Delivery,
    responses: {
      200: cutOutResponseDoc,
      303: { description: 'A temporary link to the cut-out', headers: ['Location'] },
    },
    async handle(call) {
      const job = await jobs.readOwn(call);
      if (call.query.delivery === 'redirect') {
        const location = await jobs.link(job, call.signal);
        return { status: 303, headers: { location, 'cache-control': 'private, no-store' } };
      }
      const { body, cutout } = await jobs.result(job, call.signal);
      return { headers: cutOutHeaders(cutout), body };
    },
  }),
  route('getJobGarment', `GET ${JOBS_PATH}/:id/garments/:index`, {
    responses: { 200: garmentResponseDoc },
    async handle(call) {
      const job = await jobs.readOwn(call);
      const { body, file } = await jobs.garment(job, call.params.index, call.signal);
      return { headers: garmentHeaders(file), body };
    },
  }),
  route('cancelJob', `POST ${JOBS_PATH}/:id/cancel`, {
    responses: { 200: jobDoc },
    handle: cancelJob(jobs, services.idempotency),
  }),
  route('eraseJob', `DELETE ${JOBS_PATH}/:id`, {
    responses: { 200: jsonDoc('What was deleted', ErasureResponse) },
    handle: async (call) => json(await jobs.erase(await jobs.readOwnOrDeleted(call))),
  }),
  route('getUsage', `GET ${PREFIX}/usage`, {
    responses: { 200: jsonDoc('Usage', Usage) },
    handle: (call) => usage(services, call),
  }),
];
