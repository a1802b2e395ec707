import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { filePart, json, jsonDoc, route } from '../../http/route.ts';
import { type JobRecord, type JobRecords, refinementsPath } from '../../intake/job-records.ts';
import { extensionOf } from '../../output/options.ts';
import { Strokes } from '../../output/strokes.ts';
import { Problem } from '../../platform/problem.ts';
import { refinementKey, refinementPrefix } from '../../storage/blob-keys.ts';
import { resultsGone } from '../common-problems.ts';
import type { ImageRequests } from '../removal/image-requests.ts';
import { readAll } from '../verified-blob.ts';
import { idempotently, storedJson } from './idempotent.ts';
import { type JobActions, requireCutOut } from './job-actions.ts';
import { JobResponse, jobResponse } from './job-response.ts';
import {
  mendStored,
  readSentStrokes,
  requireLatest,
  type SentStrokes,
  storeMended,
  strokesFingerprint,
} from './refine-stored.ts';

const versionOf = ({ earlierCutOuts = [] }: JobRecord): number => earlierCutOuts.length;

const conflict = (version: number): Problem =>
  new Problem('conflict', `The cut-out was changed meanwhile; its version is ${version} now`, {
    members: { version },
  });

class JobRefinements {
  readonly #services;
  readonly #actions;
  readonly #images;

  constructor(services: Gateway, actions: JobActions, images: ImageRequests) {
    this.#services = services;
    this.#actions = actions;
    this.#images = images;
  }

  /** @throws Problem conflict, with the present version */
  async #replace(job: JobRecord, fields: Parameters<JobRecords['replaceCutOut']>[2]) {
    const { outputKey } = requireCutOut(job);
    if (await this.#services.jobs.replaceCutOut(job.id, outputKey, fields)) return;
    const present = await this.#services.jobs.get(job.id);
    if (present?.status !== 'succeeded') throw resultsGone('job');
    throw conflict(versionOf(present));
  }

  async #readCutOut(job: JobRecord, call: Call): Promise<Uint8Array> {
    await call.awaitMemory(requireCutOut(job).cutout.bytes, call.signal);
    return readAll((await this.#actions.result(job, call.signal)).body);
  }

  /** Returns the job as it is now, once no loss can undo it. */
  async #changed(job: JobRecord): Promise<JobRecord> {
    const after = (await this.#services.jobs.get(job.id)) ?? job;
    await this.#actions.keep(after);
    return after;
  }

  async refine(
    job: JobRecord,
    sent: SentStrokes,
    call: Call,
    ref: string = randomUUID(),
  ): Promise<JobRecord> {
    const { outputKey, cutout } = requireCutOut(job);
    const keys = [outputKey, ...(job.earlierCutOuts ?? []).map((each) => each.key)];
    if (keys.some((each) => each.startsWith(refinementPrefix(job.client, job.id, ref)))) {
      // The process that made it has died before it answered.
      await call.takeQuota()?.refund();
      return this.#changed(job);
    }
    const { options, input, backgroundKey } = job;
    const hasBackground = backgroundKey !== undefined || !!options?.backgroundImageUrl;
    const refinements = versionOf(job);
    const read = () => this.#readCutOut(job, call);
    const stored = { options, sha256: input?.sha256, hasBackground, refinements, read };
    const members = { version: refinements };
    const mended = await mendStored(this.#images, sent, stored, members, undefined, call);
    const { bytes, mediaType } = mended.result;
    const key = refinementKey(job.client, job.id, ref, extensionOf(mediaType));
    const reservation = await this.#services.storedBytes.reserve(call.caller, bytes);
    try {
      // Recorded before the blob exists: erasing the job must find it.
      await this.#replace(job, { hasRefinements: true });
      const made = await storeMended(this.#services.blobs, mended, () => key, call.signal);
      const { key: _, ...file } = made.cutout;
      // A person has looked at it.
      const review = cutout.review && { needed: false, reasons: cutout.review.reasons };
      await this.#replace(job, {
        outputKey: key,
        results: { ...job.results, cutout: { ...cutout, ...file, review } },
        earlierCutOuts: [...(job.earlierCutOuts ?? []), { ...cutout, key: outputKey }],
      });
    } catch (error) {
      await this.#services.blobs.delete(key).catch(() => {}); // or with the job
      await this.#services.storedBytes.release(reservation).catch(() => {}); // or at the end of the day
      throw error;
    }
    return this.#changed(job);
  }

  /** @throws Problem not-found, conflict */
  async undo(call: Call): Promise<JobRecord> {
    const job = await this.#actions.readOwn(call);
    const { version } = call.params;
    const { outputKey } = requireCutOut(job);
    const earlier = job.earlierCutOuts ?? [];
    requireLatest(version, earlier.length, 'job', () => conflict(earlier.length));
    const { key, ...cutout } = earlier.at(-1)!;
    await this.#replace(job, {
      outputKey: key,
      results: { ...job.results, cutout },
      earlierCutOuts: earlier.slice(0, -1),
    });
    await this.#services.blobs.delete(outputKey).catch(() => {}); // or with the job
    return this.#changed(job);
  }
}

const RefinementForm = z.object({
  image: filePart('The photo of the job'),
  alpha: filePart('Instead of that of the stored cut-out').optional(),
  strokes: Strokes,
});

const jobDoc = jsonDoc('The job', JobResponse);

export function jobRefinementRoutes(
  services: Gateway,
  actions: JobActions,
  images: ImageRequests,
): Route[] {
  const { idempotency } = services;
  const refinements = new JobRefinements(services, actions, images);
  return [
    route('refineJob', `POST ${refinementsPath(':id')}`, {
      scope: 'background-removal:process',
      form: { 'multipart/form-data': RefinementForm },
      quota: 1,
      responses: { 200: jobDoc },
      async handle(call: Call): Promise<Reply> {
        images.shedIfBusy(call);
        const sent = await readSentStrokes(call);
        const job = await actions.readOwn(call);
        const fingerprint = strokesFingerprint(refinementsPath(job.id), sent);
        return idempotently(idempotency, call, fingerprint, async (ref) =>
          storedJson(jobResponse(await refinements.refine(job, sent, call, ref))),
        );
      },
    }),
    route('undoJobRefinement', `DELETE ${refinementsPath(':id')}/:version`, {
      scope: 'background-removal:process',
      responses: { 200: jobDoc },
      handle: async (call: Call) => json(jobResponse(await refinements.undo(call))),
    }),
  ];
}
