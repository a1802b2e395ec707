import type { Gateway } from '../../gateway.ts';
import { insufficientScope } from '../../http/access.ts';
import type { Call } from '../../http/route.ts';
import { putDeed } from '../../intake/deeds.ts';
import type { StoredResponse } from '../../intake/idempotency.ts';
import { JOBS_PATH, type JobRecord, PENDING_STATUSES } from '../../intake/job-records.ts';
import { expiryOf } from '../../intake/job-retention.ts';
import { extensionOf } from '../../output/options.ts';
import { Problem } from '../../platform/problem.ts';
import type { Operation } from '../../queue/job-data.ts';
import { cancelJob, requeueJob } from '../../queue/queue.ts';
import { garmentKey, garmentsPrefix } from '../../storage/blob-keys.ts';
import type { Classification } from '../../taxonomy/response-schema.ts';
import { checkLinks, deleted, notFound, replaced, resultsGone } from '../common-problems.ts';
import { checkHead, damagedBlob, openVerified } from '../verified-blob.ts';
import { acceptJob, newJobId } from './accept-job.ts';
import { STORAGE_LINK_SECONDS } from './files.ts';
import { idempotently, isOfRequest } from './idempotent.ts';
import { fingerprintOf, type JobRequest } from './job-request.ts';
import { garmentFile, jobProblem, jobResponse, RETRY_SOON } from './job-response.ts';
import { type PageQuery, readPage } from './page.ts';
import { allowsStorage } from './retention-policy.ts';
import { checkWebhook } from './webhooks.ts';

const CUT_OUT_SCOPE = 'background-removal:process';
const CLASSIFY_SCOPE = 'taxonomy:classify';

const SCOPES: Readonly<Record<Operation, readonly string[]>> = {
  'remove-background': [CUT_OUT_SCOPE],
  classify: [CLASSIFY_SCOPE],
  separate: [CUT_OUT_SCOPE, CLASSIFY_SCOPE],
};

const missingScope = (operations: readonly Operation[], { caller }: Call): string | undefined =>
  operations
    .flatMap((operation) => SCOPES[operation])
    .find((scope) => !caller?.scopes.includes(scope));

/**
 * Checks that the key has the scopes of the operations: they decide, not the route.
 * @throws Problem insufficient-scope
 */
export function checkScopes(operations: readonly Operation[], call: Call): void {
  const missing = missingScope(operations, call);
  if (missing) throw insufficientScope(missing);
}

/** The response to an accepted job that has not ended yet. */
export const acceptedResponse = (job: JobRecord): StoredResponse => ({
  status: 202,
  headers: { location: `${JOBS_PATH}/${job.id}`, ...RETRY_SOON },
  body: jobResponse(job),
});

const gone = () => resultsGone('job');

/** @throws Problem conflict if the job is not finished or was canceled, or the job's own problem */
function requireSuccess(job: JobRecord): void {
  if (PENDING_STATUSES.includes(job.status)) {
    throw new Problem('conflict', 'The job is not finished yet', { headers: RETRY_SOON });
  }
  if (job.status === 'canceled') throw new Problem('conflict', 'The job was canceled');
  if (job.status === 'failed') throw jobProblem(job);
}

/** @throws Problem gone, not-found, as `requireSuccess` throws */
export function requireCutOut({ outputKey, ...job }: JobRecord) {
  if (!job.operations.includes('remove-background')) {
    throw new Problem('not-found', 'This job produces no image; its results are part of the job');
  }
  requireSuccess(job);
  const cutout = job.results?.cutout;
  if (!outputKey || !cutout) throw gone();
  return { outputKey, cutout, file: { key: outputKey, ...cutout } };
}

/** @throws Problem not-found, as `requireSuccess` throws */
function requireGarment(job: JobRecord, index: string | undefined) {
  if (!job.operations.includes('separate')) {
    throw new Problem('not-found', 'This job separates no garments');
  }
  requireSuccess(job);
  const file = garmentFile(job.results?.outfit, index);
  if (!file || !job.input) throw new Problem('not-found', 'The job has no such garment');
  const prefix = garmentsPrefix(job.client, job.input.sha256, job.id);
  return { key: garmentKey(prefix, file.sha256), file };
}

/** The actions behind the job routes. Background removal also uses them for asynchronous requests. */
export class JobActions {
  readonly #services;
  readonly #queue;

  constructor(services: Gateway) {
    this.#services = services;
    this.#queue = services.queues.async;
  }

  async #read(id: string): Promise<JobRecord> {
    const job = await this.#services.jobs.get(id);
    if (job) return job;
    throw notFound('job');
  }

  /** Reads a request's job. Another client's job is not-found: its existence is not disclosed. */
  async readOwnOrDeleted(call: Call): Promise<JobRecord> {
    const job = await this.#read(call.params.id ?? '');
    if (job.client !== call.client) throw notFound('job');
    checkScopes(job.operations, call);
    return job;
  }

  async readOwn(call: Call): Promise<JobRecord> {
    const job = await this.readOwnOrDeleted(call);
    if (job.status !== 'expired') return job;
    const { erasure, buriedAt, expiresAt, outputKey = job.id } = job;
    const isLost = !erasure && buriedAt !== undefined && buriedAt < expiresAt;
    throw isLost ? damagedBlob(outputKey, 'it was missing') : deleted('job', job);
  }

  /** Returns why a cut-out of a job may be missing now: blobs are deleted after the record says so. */
  #missing(job: JobRecord) {
    return async (): Promise<Problem | undefined> => {
      const present = await this.#read(job.id);
      if (present.status !== 'succeeded') return gone();
      return present.outputKey === job.outputKey ? undefined : replaced();
    };
  }

  async #start(request: JobRequest, call: Call, ref?: string): Promise<StoredResponse> {
    if (request.webhook) await checkWebhook(this.#services, call.client);
    const known = ref && (await this.#services.jobs.get(newJobId(ref)));
    if (!known || !isOfRequest(known, this.#services.now())) {
      return acceptedResponse(
        await acceptJob(this.#services, newJobId(known ? undefined : ref), request, call),
      );
    }
    // The process that created it has died before it answered.
    if (known.status === 'queued') await requeueJob(this.#queue, known);
    await call.takeQuota()?.refund();
    return acceptedResponse(known);
  }

  /** Starts a job, once per `Idempotency-Key`. @param path of the endpoint */
  startOnce(request: JobRequest, call: Call, path: string): Promise<StoredResponse> {
    return idempotently(this.#services.idempotency, call, fingerprintOf(request, path), (ref) =>
      this.#start(request, call, ref),
    );
  }

  /** Before a change is acknowledged, so that no loss undoes it. */
  keep(job: JobRecord): Promise<void> {
    return putDeed(this.#services.blobs, 'job', job.id, job);
  }

  /** @throws Problem invalid-request if a link can never be fetched */
  checkLinks({ source, options }: JobRequest): void {
    checkLinks(this.#services.linkRule, {
      '/imageUrl': 'imageUrl' in source ? source.imageUrl : undefined,
      '/options/backgroundImageUrl': options.backgroundImageUrl,
    });
  }

  /** Except those that the key's scopes do not cover. */
  async list(call: Call<PageQuery>): Promise<object> {
    const { jobs, jobIndex: index } = this.#services;
    const source = { path: JOBS_PATH, index, get: (id: string) => jobs.get(id) };
    const { records: found, ...links } = await readPage(source, call.client, call.query);
    const covered = found.filter(({ operations }) => !missingScope(operations, call));
    return { jobs: covered.map((job) => jobResponse(job)), ...links };
  }

  /** Returns whether a caller may store a job. @throws Problem upstream-unavailable */
  isAllowed(call: Call): Promise<boolean> {
    return allowsStorage(call.caller, this.#services.readClientLimits);
  }

  /** As `startOnce`, but waits for the end of the job or `waitMillis`, and returns its latest record. */
  async startAndWait(
    request: JobRequest,
    call: Call,
    path: string,
    waitMillis: number,
  ): Promise<JobRecord> {
    const { body } = await this.startOnce(request, call, path);
    const id = String(body.id);
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(waitMillis)]);
    const ended = this.#services.completions.next(id, signal); // from before the record is read
    const job = await this.#read(id);
    if (!PENDING_STATUSES.includes(job.status)) return job;
    await ended;
    return this.#read(id);
  }

  /** Cancels a job. Idempotent. @throws Problem conflict if the job has ended in another state */
  async cancel(job: JobRecord): Promise<JobRecord> {
    const nowMillis = this.#services.now();
    const { dueAtMillis, expiresAt } = expiryOf(job, nowMillis);
    const isCanceled = await this.#services.jobs.end(job, {
      from: PENDING_STATUSES,
      to: 'canceled',
      fields: { finishedAt: new Date(nowMillis).toISOString(), expiresAt },
      dueAtMillis,
    });
    if (isCanceled) {
      await cancelJob(this.#queue, this.#services.redis, job.id);
      await this.#services.jobRetention.cleanUp(job);
    }
    const after = await this.#read(job.id);
    if (after.status === 'canceled') {
      await this.keep(after);
      return after;
    }
    if (after.status === 'expired') throw deleted('job', after);
    throw new Problem('conflict', `The job has already ${after.status}`);
  }

  async erase(job: JobRecord) {
    const erasure = await this.#services.jobRetention.erase(job, this.#services.now());
    if (PENDING_STATUSES.includes(job.status))
      await cancelJob(this.#queue, this.#services.redis, job.id);
    const after = await this.#services.jobs.get(job.id);
    if (after) await this.keep(after);
    return { id: job.id, ...erasure };
  }

  /** @throws Problem gone, as `requireSuccess` throws */
  classification(job: JobRecord): Classification {
    requireSuccess(job);
    const { classification } = jobResponse(job).results ?? {};
    if (!classification) throw gone();
    return classification;
  }

  /** Throws like `requireCutOut`. */
  async result(job: JobRecord, signal: AbortSignal) {
    const { file, cutout } = requireCutOut(job);
    return { body: await this.#open(job, file, signal), cutout };
  }

  /** Throws like `requireGarment`; gone. */
  async garment(job: JobRecord, index: string | undefined, signal: AbortSignal) {
    const { key, file } = requireGarment(job, index);
    return { body: await this.#open(job, { key, ...file }, signal), file };
  }

  #open(job: JobRecord, file: Parameters<typeof openVerified>[1], signal: AbortSignal) {
    return openVerified(this.#services.blobs, file, signal, this.#missing(job));
  }

  /** Creates a temporary link to the cut-out of a job that needs no key. Throws like `requireCutOut`. */
  async link(job: JobRecord, signal: AbortSignal): Promise<string> {
    const { outputKey, cutout, file } = requireCutOut(job);
    const nowMillis = this.#services.now();
    const secondsLeft = Math.floor((Date.parse(job.expiresAt) - nowMillis) / 1000);
    const seconds = Math.min(secondsLeft, STORAGE_LINK_SECONDS);
    if (seconds < 1) throw gone();
    await checkHead(this.#services.blobs, file, signal, this.#missing(job));
    const { blobs, links } = this.#services;
    const name = `${job.id}.${extensionOf(cutout.mediaType)}`;
    const storageLink = await blobs.link(outputKey, seconds);
    return storageLink ?? links.create(outputKey, name, nowMillis / 1000 + seconds);
  }
}
