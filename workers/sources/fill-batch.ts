import { randomUUID } from 'node:crypto';
import {
  batchFiles,
  batchKeys,
  putJson,
  putLines,
  putSealed,
} from '../../src/intake/batches/batch-files.ts';
import { type BatchManifest, PROGRESS } from '../../src/intake/batches/batch-record.ts';
import { isRejected, type RejectedRow, RowLine } from '../../src/intake/batches/rows.ts';
import { objectOf } from '../../src/intake/sources/manifest-lines.ts';
import { nameProblem, outputNames } from '../../src/intake/sources/object-names.ts';
import type { Payer, SourceSettings } from '../../src/intake/sources/sources.ts';
import type { ProblemType } from '../../src/platform/problem.ts';
import type { AcceptedRow, SourceObject } from '../../src/queue/job-data.ts';
import { LINK_MEDIA_TYPE } from '../../src/storage/blob-keys.ts';
import type { ListedObject } from '../../src/storage/locations/location.ts';
import type { WorkerServices } from '../worker-services.ts';

/** A batch takes no further objects from then on: its manifest is written when all of them have ended. */
const BATCH_ROWS = 1000;
const CHUNK_ROWS = 500;
/** The record of a batch is of no use once its manifest is written. */
const RECORD_SECONDS = 60;
const OPEN_MILLIS = 86_400_000;

type Services = Pick<WorkerServices, 'batches' | 'blobs' | 'sources' | 'maxBytes' | 'now'>;

/** What the batch of a source needs to know. */
interface BatchTerms {
  source: { id: string; client: string };
  settings: SourceSettings;
  payer: Payer;
}

/** Another worker imports the source. */
export class LeaseLost extends Error {}

const objectOfLine = (row: RowLine): SourceObject => objectOf({ row, result: undefined });

/** Returns why an object is rejected unseen, or nothing. */
function rejectionOf(
  { name, bytes }: ListedObject,
  maxBytes: number,
): RejectedRow['problem'] | undefined {
  const reject = (type: ProblemType, detail: string) => ({ type, detail });
  const badName = nameProblem(name);
  if (badName) return reject('invalid-request', badName);
  if (bytes === 0) return reject('invalid-request', 'The object is empty');
  if (bytes <= maxBytes) return undefined;
  return reject('payload-too-large', `The object is larger than ${maxBytes} bytes`);
}

const outputTaken = {
  type: 'conflict',
  detail: 'Both names that its result could have are those of the results of other objects',
};

/**
 * Claims a name for the result of each object: its own with the extension replaced, or else added.
 * @returns undefined for objects that get none
 */
async function claimNames(
  sources: Services['sources'],
  id: string,
  objects: readonly ListedObject[],
): Promise<(string | undefined)[]> {
  const names = objects.map(({ name }) => outputNames(name));
  const claims = (choice: 0 | 1, wanted: readonly ListedObject[]) =>
    wanted.map(({ name }) => ({ name, output: outputNames(name)[choice] }));
  const first = await sources.claimOutputs(id, claims(0, objects));
  const losers = objects.filter((_, i) => !first[i]);
  const second = await sources.claimOutputs(id, claims(1, losers));
  const winners = new Set(losers.filter((_, i) => second[i]));
  return objects.map((object, i) => {
    const [replaced, added] = names[i]!;
    if (first[i]) return replaced;
    return winners.has(object) ? added : undefined;
  });
}

/** Puts objects into the next batch of a source, which is opened by the first one. */
export function createFilling(
  { batches, blobs, sources, maxBytes, now }: Services,
  { source, settings, payer }: BatchTerms,
  renewLease: () => Promise<boolean>,
) {
  let batchId: string | undefined;
  let chunk = 0;
  let rows = 0;
  let isOverQuota = false;

  async function open(): Promise<string> {
    const { options, requestId, outputSeconds } = settings;
    const id = `batch_${randomUUID().replaceAll('-', '')}`;
    const nowMillis = now();
    const manifest: BatchManifest = {
      id,
      kind: 'source',
      client: source.client,
      requestId,
      operations: ['remove-background'],
      ...(options && { options }),
      outputSeconds,
      recordSeconds: RECORD_SECONDS,
      createdAt: new Date(nowMillis).toISOString(),
      name: source.id,
      meter: { meter: payer.meter, quotaPerDay: payer.quotaPerDay },
      ...(payer.weight !== undefined && { weight: payer.weight }),
    };
    const keys = batchKeys(source.client, id);
    // The source names its batch first: another worker finds what was appended.
    if (!(await sources.startBatch(source.id, id))) throw new LeaseLost();
    const link = options?.backgroundImageUrl;
    if (link !== undefined) {
      await blobs.put(keys.background, Buffer.from(link), { mediaType: LINK_MEDIA_TYPE });
    }
    await putJson(blobs, keys.manifest, manifest);
    const expiresAt = new Date(nowMillis + OPEN_MILLIS).toISOString();
    await batches.create({ ...manifest, expiresAt });
    return id;
  }

  async function toLines(objects: readonly ListedObject[]): Promise<RowLine[]> {
    const problems = new Map(objects.map((object) => [object, rejectionOf(object, maxBytes)]));
    const wanted = objects.filter((object) => !problems.get(object));
    const names = await claimNames(sources, source.id, wanted);
    const outputs = new Map(wanted.map((object, i) => [object, names[i]]));
    return objects.map((listed, i) => {
      const position = { row: rows + i, line: rows + i + 1, customId: listed.name };
      const output = outputs.get(listed);
      const object = { source: source.id, ...listed, ...(output !== undefined && { output }) };
      if (output !== undefined) return { ...position, source: { object } } satisfies AcceptedRow;
      return { ...position, object, problem: problems.get(listed) ?? outputTaken };
    });
  }

  /** Appends lines as one chunk, or as many of the first lines as the quota allows. */
  async function append(lines: readonly RowLine[]): Promise<void> {
    if (isOverQuota || lines.length === 0) return;
    batchId ??= await open();
    if (!(await renewLease())) throw new LeaseLost();
    await putLines(blobs, batchKeys(source.client, batchId).rows(chunk), lines);
    const rejected = lines.filter(isRejected).length;
    const counts = { accepted: lines.length - rejected, rejected };
    const read = rows + lines.length;
    const upload = PROGRESS.source(read, read);
    const next = { chunk, first: rows, ...counts, upload };
    const outcome = await batches.append(batchId, next, payer);
    if (outcome === 'conflict') throw new LeaseLost();
    if (outcome === 'appended') {
      chunk++;
      rows += lines.length;
      return sources.take(source.id, lines.map(objectOfLine));
    }
    isOverQuota = lines.length === 1;
    const half = Math.ceil(lines.length / 2);
    if (isOverQuota) return;
    await append(lines.slice(0, half));
    await append(lines.slice(half));
  }

  return {
    /** Adds those objects whose version was not taken before. */
    async add(page: readonly ListedObject[]): Promise<void> {
      const latest = [...new Map(page.map((object) => [object.name, object])).values()];
      const lines = await toLines(await sources.untaken(source.id, latest));
      for (let i = 0; i < lines.length; i += CHUNK_ROWS)
        await append(lines.slice(i, i + CHUNK_ROWS));
    },
    rows: () => rows,
    isFull: () => rows >= BATCH_ROWS,
    isOverQuota: () => isOverQuota,
  };
}

export type Filling = ReturnType<typeof createFilling>;

/**
 * Ends the filling of a batch: its objects count as taken, as their worker may have died before it recorded the last,
 * and its rows are handed out. A batch without rows is removed.
 */
export async function sealBatch(
  { batches, blobs, sources, now }: Services,
  source: { id: string; client: string },
  batchId: string,
): Promise<void> {
  const batch = await batches.get(batchId);
  if (batch?.status !== 'open') return;
  const files = batchFiles(blobs, source.client, batchId);
  for (let chunk = 0; chunk < batch.chunks; chunk++) {
    const lines = (await files.rows(chunk)).map((line) => RowLine.parse(line));
    await sources.take(source.id, lines.map(objectOfLine));
  }
  if (batch.chunks === 0) return batches.remove(batchId);
  const nowMillis = now();
  await putSealed(blobs, batch, nowMillis);
  await batches.seal(batchId, nowMillis);
}
