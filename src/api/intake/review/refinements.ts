import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Gateway } from '../../../gateway.ts';
import { parse } from '../../../http/parse.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { filePart, json, jsonDoc, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { MendedRow, Refined, RefinedCutOut } from '../../../intake/review/refined.ts';
import { refinedKeys, refinedName, refinedOf, withNewest } from '../../../intake/review/refined.ts';
import { type ReviewRow, thousandths } from '../../../intake/review/review-rows.ts';
import { withoutBlanks } from '../../../output/request.ts';
import { Strokes } from '../../../output/strokes.ts';
import { Problem } from '../../../platform/problem.ts';
import { resultsGone } from '../../common-problems.ts';
import type { ImageRequests } from '../../removal/image-requests.ts';
import { openVerified, readAll } from '../../verified-blob.ts';
import { idempotently, storedJson } from '../idempotent.ts';
import type { Mended, SentStrokes } from '../refine-stored.ts';
import {
  mendStored,
  readSentStrokes,
  requireLatest,
  storeMended,
  strokesFingerprint,
} from '../refine-stored.ts';
import type { ReviewActions, RowsRoutesOptions, RowsTarget } from './actions.ts';
import { requireOpen, versionOf } from './actions.ts';
import { actorOf, type DecidedRow, decideRow, decisionConflict, type Known } from './decide-row.ts';
import { readKeptPhoto } from './photo.ts';
import { ReviewRowResponse } from './schemas.ts';

const toNumber = (text: unknown): unknown =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text;

const revisionField = z
  .preprocess(toNumber, z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional())
  .meta({ description: 'Of the row as you have seen it; without it, the present one' });

const RefinementFields = z.preprocess(withoutBlanks, z.strictObject({ revision: revisionField }));
const UndoQuery = z.object({ revision: revisionField });
type UndoQuery = z.infer<typeof UndoQuery>;

interface Subject {
  target: RowsTarget;
  /** With the cut-out that was made first. */
  made: ReviewRow;
  /** With its newest cut-out. */
  row: MendedRow;
  known: Known;
  versions: RefinedCutOut[];
  /** Of the decision about it. */
  revision: number;
}

interface Request extends SentStrokes {
  /** The revision of the row that the client has seen. */
  seen: number | undefined;
}

/** @throws Problem invalid-request, payload-too-large */
async function readRequest(call: Call): Promise<Request> {
  const sent = await readSentStrokes(call);
  const { image: _, alpha: __, strokes: ___, ...fields } = sent.form.fields;
  const { revision: seen } = parse(RefinementFields, fields, 'request');
  return { ...sent, seen };
}

export class RowRefinements {
  readonly #services;
  readonly #reviews;
  readonly #images;

  constructor(
    services: Gateway,
    reviews: ReviewActions,
    images: Pick<ImageRequests, 'refineCutOut' | 'shedIfBusy'>,
  ) {
    this.#services = services;
    this.#reviews = reviews;
    this.#images = images;
  }

  /** @throws Problem conflict if the row has another revision than the client has seen; not-found */
  async #readSubject(target: RowsTarget, call: Call, seen: number | undefined): Promise<Subject> {
    const made = await this.#reviews.readRow(target.batch, call);
    const known = await this.#reviews.readKnown(target.batch, made);
    const own = known.decisions.get(made.row);
    const revision = own?.revision ?? 0;
    if (seen !== undefined && seen !== revision) throw decisionConflict(target.batch.client, own);
    const { versions = [] } = refinedOf(known, made.row, made.sha256) ?? {};
    return { target, made, known, versions, revision, row: withNewest(made, known) };
  }

  /** Gives a row other versions, in the place of those that were read. @throws Problem conflict */
  async #replace(call: Call, subject: Subject, versions: RefinedCutOut[]): Promise<object> {
    const { target, made, row, known } = subject;
    const { sha256: original, confidence } = made;
    const refined: Refined = { original, thousandths: thousandths(confidence), versions };
    const after = withNewest(made, { ...known, refined: new Map([[made.row, refined]]) });
    const decision = {
      revision: subject.revision + 1,
      decision: 'pending' as const, // nobody has decided about the present cut-out
      keyId: actorOf(call),
      at: new Date(this.#services.now()).toISOString(),
      version: versionOf(after),
    };
    const before = known.refined.get(made.row)?.versions.length ?? 0;
    const change = { refined, added: versions.length - before };
    const decided: DecidedRow = { batch: target.batch, row, known };
    await decideRow(this.#services, call.caller, decided, decision, change);
    return this.#reviews.showRow(target, made);
  }

  async #readCutOut({ target, row }: Subject, call: Call): Promise<Uint8Array> {
    const head = await this.#services.blobs.head(row.key, call.signal);
    // A later run of a feed deletes what an earlier one made.
    const missing = async () =>
      target.batch.kind === 'feed-run' ? resultsGone('batch') : undefined;
    await call.awaitMemory(head?.bytes ?? 0, call.signal);
    const file = { ...row, bytes: head?.bytes ?? 0 };
    return readAll(await openVerified(this.#services.blobs, file, call.signal, missing));
  }

  async #mend(subject: Subject, sent: Request, call: Call): Promise<Mended> {
    const { target, row, versions } = subject;
    const { options, background, kind } = target.batch;
    // What rules judge is the picture itself.
    const hasPicture = kind === 'feed-run' && options?.rules === undefined;
    const refinements = versions.length;
    const stored = {
      options,
      sha256: row.inputSha256,
      readPhoto: () => readKeptPhoto(this.#services.blobs, target.batch, row, call),
      imageUrl: row.imageUrl,
      hasBackground: options?.backgroundImageUrl !== undefined,
      refinements,
      read: () => this.#readCutOut(subject, call),
    };
    const picture = hasPicture ? { background } : undefined;
    return mendStored(this.#images, sent, stored, { refinements }, picture, call);
  }

  async #store(batch: BatchRecord, mended: Mended, ref: string): Promise<RefinedCutOut> {
    const keyOf = refinedKeys(batch, ref);
    const { cutout, pictureKey } = await storeMended(this.#services.blobs, mended, keyOf);
    if (!mended.picture || pictureKey === undefined) return cutout;
    const { mediaType } = mended.picture;
    const { background } = batch;
    return { ...cutout, picture: { key: pictureKey, mediaType, background } };
  }

  /** Deletes the files of a version, or leaves them to the end of the batch or run. */
  async #discard({ key, picture }: RefinedCutOut): Promise<void> {
    const keys = [key, ...(picture ? [picture.key] : [])];
    await Promise.allSettled(keys.map((each) => this.#services.blobs.delete(each)));
  }

  /** Whether a version that was stored is the newest, although an error followed; assumed if that is not known. */
  async #isNewest({ target, made }: Subject, { key }: RefinedCutOut): Promise<boolean> {
    const known = await this.#reviews.readKnown(target.batch, made).catch(() => undefined);
    return !known || known.refined.get(made.row)?.versions.at(-1)?.key === key;
  }

  /** Mends the cut-out of a row by strokes; the one before is retained, and the row is pending. */
  async #refineRow(target: RowsTarget, request: Request, call: Call, ref: string = randomUUID()) {
    requireOpen(target);
    const { batch } = target;
    const { seen } = request;
    const made = await this.#reviews.readRow(batch, call);
    const known = await this.#reviews.readKnown(batch, made);
    if (known.refined.get(made.row)?.versions.some(({ key }) => key.includes(refinedName(ref)))) {
      // The process that made it has died before it answered.
      await call.takeQuota()?.refund();
      return this.#reviews.showRow(target, made);
    }
    const subject = await this.#readSubject(target, call, seen);
    const { versions } = subject;
    const mended = await this.#mend(subject, request, call);
    const bytes = mended.file.length + (mended.picture?.bytes ?? 0);
    const reservation = await this.#services.storedBytes.reserve(call.caller, bytes);
    try {
      const version = await this.#store(batch, mended, ref);
      return await this.#replace(call, subject, [...versions, version]).catch(async (error) => {
        if (!(await this.#isNewest(subject, version))) await this.#discard(version);
        throw error;
      });
    } catch (error) {
      await this.#services.storedBytes.release(reservation).catch(() => {}); // the end of the day does
      throw error;
    }
  }

  shedIfBusy(call: Call): void {
    this.#images.shedIfBusy(call);
  }

  async refine(target: RowsTarget, call: Call): Promise<Reply> {
    const request = await readRequest(call);
    const path = `${target.links.review}/${call.params.row}/refinements`;
    const fingerprint = strokesFingerprint(path, request);
    return idempotently(this.#services.idempotency, call, fingerprint, async (ref) =>
      storedJson({ ...(await this.#refineRow(target, request, call, ref)) }),
    );
  }

  /** @throws Problem not-found, conflict */
  async undo(target: RowsTarget, call: Call<UndoQuery>): Promise<object> {
    requireOpen(target);
    const subject = await this.#readSubject(target, call, call.query.revision);
    const { versions } = subject;
    const { version } = call.params;
    requireLatest(version, versions.length, 'row', () => {
      const detail = `Only the latest refinement can be undone: ${versions.length}`;
      return new Problem('conflict', detail, { members: { refinements: versions.length } });
    });
    const after = await this.#replace(call, subject, versions.slice(0, -1));
    const earlier = subject.known.carriedRefined.get(subject.made.sha256)?.versions.at(-1);
    // Other rows may have what was mended in an earlier run.
    const latest = versions.at(-1)!;
    if (latest.key !== earlier?.key) await this.#discard(latest);
    return after;
  }
}

const RefinementForm = z.object({
  image: filePart(
    'The photo; needed unless it was kept or is still at the `imageUrl` of the row',
  ).optional(),
  alpha: filePart('Instead of that of the present cut-out').optional(),
  strokes: Strokes,
  revision: revisionField,
});

const rowDoc = jsonDoc('The row', ReviewRowResponse);

export const refinementRoutes = (
  refinements: RowRefinements,
  { path, name, readTarget }: RowsRoutesOptions,
): Route[] => [
  route(`refine${name}Row`, `POST ${path}/review/:row/refinements`, {
    scope: 'background-removal:process',
    form: { 'multipart/form-data': RefinementForm },
    quota: 1,
    responses: { 200: rowDoc },
    async handle(call) {
      refinements.shedIfBusy(call);
      return refinements.refine(await readTarget(call), call);
    },
  }),
  route(`undo${name}RowRefinement`, `DELETE ${path}/review/:row/refinements/:version`, {
    scope: 'background-removal:process',
    query: UndoQuery,
    responses: { 200: rowDoc },
    handle: async (call) => json(await refinements.undo(await readTarget(call), call)),
  }),
];
