import { randomUUID } from 'node:crypto';
import type { RejectedRow, RowLine } from '../../src/intake/batches/batch-files.ts';
import {
  batchFiles,
  batchKeys,
  isRejected,
  putJson,
  putLines,
  putSealed,
} from '../../src/intake/batches/batch-files.ts';
import { type BatchManifest, PROGRESS } from '../../src/intake/batches/batch-record.ts';
import { nameProblem, objectOf, outputNames } from '../../src/intake/sources/manifest-lines.ts';
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
export class Filling {
  readonly #services;
  readonly #terms;
  readonly #renewLease;
  #batchId: string | undefined;
  #chunk = 0;
  #rows = 0;
  #isOverQuota = false;

  constructor(services: Services, terms: BatchTerms, renewLease: () => Promise<boolean>) {
    this.#services = services;
    this.#terms = terms;
    this.#renewLease = renewLease;
  }

  async #open(): Promise<string> {
    const { sources, blobs, batches, now } = this.#services;
    const { source, settings, payer } = this.#terms;
    const { options, requestId, outputSeconds } = settings;
    const id = `batch_${randomUUID().replaceAll('-', '')}`;
    const nowMillis = now();
    const manifest: BatchManifest = {
      id,
      kind: 'source',
      client: source.client,
      requestId,
      operations: ['remove-background'],
      options,
      outputSeconds,
      recordSeconds: RECORD_SECONDS,
      createdAt: new Date(nowMillis).toISOString(),
      name: source.id,
      meter: { meter: payer.meter, quotaPerDay: payer.quotaPerDay },
      weight: payer.weight,
    };
    const keys = batchKeys({ client: source.client, id });
    // The source names its batch first: another worker finds what was appended.
    if (!(await sources.startBatch(source.id, id))) throw new LeaseLost();
    const link = options?.backgroundImageUrl;
    if (link !== undefined)
      await blobs.put(keys.background, Buffer.from(link), { mediaType: LINK_MEDIA_TYPE });
    await putJson(blobs, keys.manifest, manifest);
    const expiresAt = new Date(nowMillis + OPEN_MILLIS).toISOString();
    await batches.create({ ...manifest, expiresAt });
    return id;
  }

  async #toLines(objects: readonly ListedObject[]): Promise<RowLine[]> {
    const { sources, maxBytes } = this.#services;
    const source = this.#terms.source.id;
    const problems = new Map(objects.map((object) => [object, rejectionOf(object, maxBytes)]));
    const wanted = objects.filter((object) => !problems.get(object));
    const names = await claimNames(sources, source, wanted);
    const outputs = new Map(wanted.map((object, i) => [object, names[i]]));
    return objects.map((listed, i) => {
      const position = { row: this.#rows + i, line: this.#rows + i + 1, customId: listed.name };
      const output = outputs.get(listed);
      const object = { source, ...listed, ...(output !== undefined && { output }) };
      if (output !== undefined) return { ...position, source: { object } } satisfies AcceptedRow;
      return { ...position, object, problem: problems.get(listed) ?? outputTaken };
    });
  }

  /** Appends lines as one chunk, or as many of the first lines as the quota allows. */
  async #append(lines: readonly RowLine[]): Promise<void> {
    const { blobs, batches, sources } = this.#services;
    const { source, payer } = this.#terms;
    if (this.#isOverQuota || lines.length === 0) return;
    this.#batchId ??= await this.#open();
    if (!(await this.#renewLease())) throw new LeaseLost();
    await putLines(
      blobs,
      batchKeys({ client: source.client, id: this.#batchId }).rows(this.#chunk),
      lines,
    );
    const rejected = lines.filter(isRejected).length;
    const counts = { accepted: lines.length - rejected, rejected };
    const read = this.#rows + lines.length;
    const upload = PROGRESS.source(read, read);
    const next = { chunk: this.#chunk, first: this.#rows, ...counts, upload };
    const outcome = await batches.append(this.#batchId, next, payer);
    if (outcome === 'conflict') throw new LeaseLost();
    if (outcome === 'appended') {
      this.#chunk++;
      this.#rows += lines.length;
      return sources.take(source.id, lines.map(objectOfLine));
    }
    this.#isOverQuota = lines.length === 1;
    const half = Math.ceil(lines.length / 2);
    if (this.#isOverQuota) return;
    await this.#append(lines.slice(0, half));
    await this.#append(lines.slice(half));
  }

  /** Adds those objects whose version was not taken before. */
  async add(page: readonly ListedObject[]): Promise<void> {
    const { sources } = this.#services;
    const latest = [...new Map(page.map((object) => [object.name, object])).values()];
    const lines = await this.#toLines(await sources.untaken(this.#terms.source.id, latest));
    for (let i = 0; i < lines.length; i += CHUNK_ROWS)
      await this.#append(lines.slice(i, i + CHUNK_ROWS));
  }

  rows = (): number => this.#rows;
  isFull = (): boolean => this.#rows >= BATCH_ROWS;
  isOverQuota = (): boolean => this.#isOverQuota;
}

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
  const files = batchFiles(blobs, batch);
  for (let chunk = 0; chunk < batch.chunks; chunk++)
    await sources.take(source.id, (await files.rows(chunk)).map(objectOfLine));
  if (batch.chunks === 0) return batches.remove(batchId);
  const nowMillis = now();
  await putSealed(blobs, batch, nowMillis);
  await batches.seal(batchId, nowMillis);
}
