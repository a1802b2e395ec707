import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_TERMINAL_STATUSES } from '../../src/intake/batches/batch-record.ts';
import type { DeclaredSource } from '../../src/intake/sources/declared-sources.ts';
import {
  isManifest,
  MANIFESTS,
  type ManifestLine,
  outputNames,
  parseManifest,
} from '../../src/intake/sources/manifest-lines.ts';
import type { SourceProblem, SourceRecord } from '../../src/intake/sources/sources.ts';
import { type ListedObject, LocationUnavailable } from '../../src/storage/locations/location.ts';
import type { WorkerServices } from '../worker-services.ts';
import { Filling, LeaseLost, sealBatch } from './fill-batch.ts';
import { checkListing, finishBatch } from './finish-batch.ts';
import type { SourcePlaces } from './source-objects.ts';

const LEASE_MILLIS = 10_000;
/** How often the others try to acquire the lease. */
const ACQUIRE_MILLIS = 1000;
/** How often the state of the source is read, if nothing is to do; and while its batch runs. */
const IDLE_MILLIS = 500;
const BATCH_MILLIS = 100;
const MAX_RETRY_MILLIS = 600_000;
const NO_QUOTA_RETRY_MILLIS = 60_000;
/** Names in events that are looked up at a time. */
const HINTS = 200;
const CONCURRENT_LOOKUPS = 8;
/** Folders that cannot be read, which are named. */
const MAX_UNLISTED = 100;

/** Returns when a source is tried again after so many consecutive failures. */
const retryMillis = (everySeconds: number, failures: number): number =>
  Math.min(MAX_RETRY_MILLIS, everySeconds * 1000 * 2 ** Math.min(failures - 1, 20));

const isUnreachable = ({ problem }: SourceRecord): boolean =>
  problem?.type === 'upstream-unavailable';

/** Imports one source, on one worker at a time. Each step may be interrupted and repeated by another worker. */
function createImporter(
  worker: WorkerServices,
  source: DeclaredSource,
  places: SourcePlaces,
  signal: AbortSignal,
) {
  const { from, to } = places;
  const { sources, batches, now, log } = worker;
  const { id } = source;
  const lease = sources.lease(id);
  const renewLease = () => lease.acquire(LEASE_MILLIS);
  /** The rest of a listing that has begun: pages may take many batches. */
  let pages: AsyncGenerator<ListedObject[]> | undefined;
  /** What it has named without being able to read it, and why. */
  let unlisted: SourceRecord['unlisted'] = [];

  async function fail(
    record: SourceRecord,
    type: SourceProblem['type'],
    detail: string,
    delayMillis: number,
  ): Promise<void> {
    pages = undefined;
    const isSame = record.problem?.type === type && record.problem.detail === detail;
    const since = isSame ? (record.problem?.since ?? '') : new Date(now()).toISOString();
    if (!isSame) log.warn({ source: id, reason: detail }, 'source not imported');
    await sources.update(id, {
      problem: { type, detail, since },
      retryAtMillis: now() + delayMillis,
      isScanRequested: false,
    });
  }

  const failQuota = (record: SourceRecord): Promise<void> =>
    fail(
      record,
      'quota-exceeded',
      "Today's units are used up; the source goes on after midnight UTC",
      NO_QUOTA_RETRY_MILLIS,
    );

  async function failUnavailable(record: SourceRecord, detail: string): Promise<void> {
    const failures = record.failures + 1;
    await sources.update(id, { failures });
    const delayMillis = retryMillis(source.everySeconds, failures);
    await fail(record, 'upstream-unavailable', detail, delayMillis);
  }

  async function succeed({ problem }: SourceRecord): Promise<void> {
    if (problem === null) return;
    log.info({ source: id }, 'source imported again');
    await sources.update(id, { problem: null, failures: 0, retryAtMillis: 0 });
  }

  /** Returns the lines of a manifest; none if it cannot be read, and then its objects may be done again. */
  async function readManifest(listed: ListedObject): Promise<ManifestLine[]> {
    try {
      return parseManifest((await to.read(listed, signal)).bytes);
    } catch (error) {
      if (signal.aborted || !(error instanceof LocationUnavailable)) throw error;
      log.warn({ source: id, object: listed.name, reason: error.message }, 'manifest not read');
      return [];
    }
  }

  /** Learns from the manifests what was done before Redis knew the source. */
  async function readManifests(): Promise<void> {
    for await (const page of to.list(MANIFESTS, signal)) {
      for (const listed of page.filter(({ name }) => isManifest(name))) {
        const lines = await readManifest(listed);
        await sources.take(
          id,
          lines.map(({ input: name, version }) => ({ name, version })),
        );
        await sources.claimOutputs(
          id,
          lines.flatMap(({ input, output }) => {
            const stem = output?.slice(0, output.lastIndexOf('.'));
            const claimed = outputNames(input).find((each) => each === stem);
            return claimed === undefined ? [] : [{ name: input, output: claimed }];
          }),
        );
      }
    }
    await sources.update(id, { isFilled: true });
  }

  const warn = (object: string, reason: string): void =>
    log.warn({ source: id, object, reason }, 'object of a source failed');

  /**
   * Adds objects by name, each as it is now. One that cannot be looked up fails by itself if its place can be listed.
   * @returns the names of those that are no more
   * @throws LocationUnavailable
   */
  async function addNamed(filling: Filling, names: readonly string[]): Promise<string[]> {
    const found = await Promise.allSettled(names.map((name) => from.head(name, signal)));
    const failed = found.flatMap((look, i) => {
      if (look.status === 'fulfilled') return [];
      if (!(look.reason instanceof LocationUnavailable)) throw look.reason;
      return [{ name: names[i]!, version: '', reason: look.reason.message }];
    });
    if (failed.length > 0) {
      await checkListing(from, signal);
      await sources.failures.record(id, failed, now());
      for (const { name, reason } of failed) warn(name, reason);
    }
    const objects = found.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
    await filling.add(objects.filter((object) => object !== undefined));
    return names.filter((_, i) => found[i]?.status === 'fulfilled' && !objects[i]);
  }

  /** Adds the objects that events have named. */
  async function addHinted(filling: Filling): Promise<void> {
    const names = await sources.hints(id, HINTS);
    for (let i = 0; i < names.length; i += CONCURRENT_LOOKUPS) {
      const some = names.slice(i, i + CONCURRENT_LOOKUPS);
      await addNamed(filling, some);
      if (filling.isOverQuota()) return;
      await sources.dropHints(id, some);
    }
  }

  /** Adds objects again that have failed by themselves, and whose pause is over. */
  async function addFailed(filling: Filling): Promise<void> {
    const names = await sources.failures.due(id, now(), HINTS);
    for (let i = 0; i < names.length && !filling.isOverQuota(); i += CONCURRENT_LOOKUPS) {
      const some = names.slice(i, i + CONCURRENT_LOOKUPS);
      await sources.forgetNames(id, some);
      await sources.failures.clear(id, await addNamed(filling, some));
    }
  }

  /** Adds listed objects until the batch is full. Returns whether the listing has come to its end. */
  async function addListed(filling: Filling): Promise<boolean> {
    if (!pages) unlisted = [];
    pages ??= from.list('', signal);
    while (!filling.isFull() && !filling.isOverQuota()) {
      const { done, value: page } = await pages.next();
      if (done) {
        pages = undefined;
        return true;
      }
      await filling.add(page.filter(({ unreadable }) => unreadable === undefined));
      for (const { name, unreadable: reason } of page) {
        if (reason && unlisted.length < MAX_UNLISTED) unlisted.push({ name, reason });
      }
    }
    return false;
  }

  /** Records that all was listed, and what could not be. */
  async function endListing({ unlisted: before }: SourceRecord): Promise<void> {
    await sources.update(id, { listedAtMillis: now(), unlisted });
    const isNew = (name: string) => !before.some((each) => each.name === name);
    for (const { name, reason } of unlisted.filter((each) => isNew(each.name)))
      log.warn({ source: id, object: name, reason }, 'part of a source cannot be listed');
  }

  /** Fills and seals the next batch of a source that has none. */
  async function fill(record: SourceRecord, isListingDue: boolean): Promise<void> {
    const { settings } = record;
    const payer = settings && (await sources.payerOf(settings));
    if (!payer) {
      const detail = 'The key that pays for the source is revoked or expired; PUT it with another';
      return fail(record, 'unauthorized', detail, NO_QUOTA_RETRY_MILLIS);
    }
    if (!(await batches.hasQuota(payer))) return failQuota(record);
    if (record.isScanRequested) await sources.update(id, { isScanRequested: false });
    const filling = new Filling(worker, { source, settings, payer }, renewLease);
    try {
      if (!record.isFilled) await readManifests();
      await addHinted(filling);
      await addFailed(filling);
      const isListed = isListingDue && (await addListed(filling));
      if (isListed) await endListing(record);
      if (filling.isOverQuota()) await failQuota(record);
      // What is reached by the rows of a batch is known at its end.
      else if (!isUnreachable(record) || (isListed && filling.rows() === 0)) await succeed(record);
    } catch (error) {
      if (!(error instanceof LocationUnavailable)) throw error;
      await failUnavailable(record, error.message);
    } finally {
      const { batch } = await sources.get(id);
      if (batch !== undefined) await sealBatch(worker, source, batch);
    }
  }

  /** Moves the batch of a source on. Returns whether it has ended. */
  async function moveBatch(record: SourceRecord, batchId: string): Promise<boolean> {
    const batch = await batches.get(batchId);
    if (!batch || batch.status === 'expired') {
      // One that expired before its manifest could be written is lost with its results.
      if (batch) log.warn({ source: id, batchId }, 'the batch of a source has expired');
      await sources.finish(id, batchId, { succeeded: 0, failed: 0, rejected: 0 });
      return true;
    }
    if (batch.status === 'open') await sealBatch(worker, source, batchId);
    if (!BATCH_TERMINAL_STATUSES.includes(batch.status)) return false;
    try {
      const { failed, again } = await finishBatch(worker, id, batch, places, signal);
      for (const { name, reason } of failed) warn(name, reason);
      if (again !== undefined) await failUnavailable(record, again);
      else if (isUnreachable(record)) await succeed(record);
    } catch (error) {
      if (!(error instanceof LocationUnavailable)) throw error;
      await failUnavailable(record, error.message);
    }
    return true;
  }

  /** Returns whether objects are to be looked up by name. */
  const hasNames = async (): Promise<boolean> =>
    (await sources.hints(id, 1)).length > 0 ||
    (await sources.failures.due(id, now(), 1)).length > 0;

  /** Does what is next. Returns when to look again, ms. */
  async function step(): Promise<number> {
    if (!(await renewLease())) {
      pages = undefined;
      return ACQUIRE_MILLIS;
    }
    const record = await sources.get(id);
    const { settings, batch, isScanRequested, listedAtMillis, retryAtMillis } = record;
    const nowMillis = now();
    const mayRun = nowMillis >= retryAtMillis || isScanRequested;
    if (batch !== undefined && (mayRun || !isUnreachable(record)))
      return (await moveBatch(record, batch)) ? 0 : BATCH_MILLIS;
    if (!mayRun || !settings || settings.paused) return IDLE_MILLIS;
    const isListingDue =
      isScanRequested ||
      pages !== undefined ||
      nowMillis >= listedAtMillis + source.everySeconds * 1000;
    if (!isListingDue && !(await hasNames())) return IDLE_MILLIS;
    await fill(record, isListingDue);
    return 0;
  }

  return {
    /** Imports until the signal aborts. */
    async run(): Promise<void> {
      while (!signal.aborted) {
        const delayMillis = await lease.whileRenewed(LEASE_MILLIS, step).catch((error) => {
          if (!signal.aborted && !(error instanceof LeaseLost))
            log.warn({ source: id, reason: error.message }, 'source not imported');
          pages = undefined;
          return ACQUIRE_MILLIS;
        });
        await sleep(delayMillis, undefined, { signal }).catch(() => {});
      }
      await lease.release();
    },
  };
}

/** Imports the declared sources. Returns a function that stops it. */
export function startImporters(
  worker: WorkerServices,
  places: ReadonlyMap<string, SourcePlaces>,
): () => Promise<void> {
  const stopping = new AbortController();
  const running = worker.declared.flatMap((source) => {
    const open = places.get(source.id);
    return open ? [createImporter(worker, source, open, stopping.signal).run()] : [];
  });
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}
