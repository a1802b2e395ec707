import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { ZodError } from 'zod';
import { adoptInstallationId, INSTALLATION_ID_KEY } from '../../src/intake/installation.ts';
import type { Logger } from '../../src/platform/log.ts';
import { pagesOf } from '../../src/platform/pages.ts';
import type { Services } from '../../src/services.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

/**
 * Returns which keys exist in Redis, and the installation id that it has at the same moment. An undefined key does not
 * exist.
 */
export async function recordsExist(redis: Redis, keys: readonly (string | undefined)[]) {
  const known = keys.filter((key) => key !== undefined);
  const pipeline = redis.pipeline();
  for (const key of known) pipeline.exists(key);
  const replies = (await pipeline.get(INSTALLATION_ID_KEY).exec()) ?? [];
  const [failure] = replies.find(([error]) => error) ?? [];
  if (failure) throw failure;
  const existing = new Set(known.filter((_, i) => replies[i]?.[1] === 1));
  return {
    exist: keys.map((key) => key !== undefined && existing.has(key)),
    installationId: replies.at(-1)?.[1],
  };
}

/** Records restored at a time: storage answers each after milliseconds. */
export const CONCURRENCY = 64;

/** Counts of one kind of record, by outcome. */
export interface Counts {
  /** Restored to Redis. */
  rebuilt: number;
  /** Already in Redis. */
  known: number;
  /** Damaged, or not readable by this version; skipped, and kept. */
  unknown: number;
}
const newCounts = (): Counts => ({ rebuilt: 0, known: 0, unknown: 0 });

/** `absent`: there is no manifest. */
export type Outcome = keyof Counts | 'absent';

/** Restores one kind of record to Redis from its manifests in object storage. */
export interface Rebuilder {
  name: string;
  /** Of all its blobs. */
  prefix: string;
  /** Returns the key of the manifest of the record that a blob belongs to, or nothing if there is none. */
  manifestOf(key: string): string | undefined;
  /** Returns the Redis key of a manifest's record, or nothing if only the manifest tells. */
  recordOf(manifestKey: string): string | undefined;
  /** Restores a record if it is missing, and what a known one lacks. Two processes may do so at once. */
  restore(manifestKey: string, signal: AbortSignal): Promise<Outcome>;
}

/** One walk through object storage. */
export interface Pass {
  /** Records restored at a time. */
  concurrency: number;
  /** Only records with blobs written since, epoch milliseconds. */
  sinceMillis?: number;
  /** Whether records that Redis has are looked at too: whether their end or their place in the queue is lost. */
  isThorough?: boolean;
  /** Called with the counts of one kind so far; the walk goes on when it resolves. */
  onPage?(name: string, counts: Counts): Promise<void>;
}

/** Yields the keys of manifests, each once. */
async function* manifestsOf(
  { prefix, manifestOf }: Rebuilder,
  blobs: Blobs,
  sinceMillis: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    const manifest = manifestOf(key);
    if (manifest === undefined) continue;
    if (sinceMillis === undefined) {
      if (manifest === key) yield key;
    } else if (modifiedAt.getTime() >= sinceMillis && !seen.has(manifest)) {
      seen.add(manifest);
      yield manifest;
    }
  }
}

/**
 * Restores one record. A manifest that cannot be read is reported: it concerns nothing else.
 * @throws if Redis or storage fails
 */
export async function restoreOne(
  rebuilder: Rebuilder,
  manifestKey: string,
  log: Logger,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome = await rebuilder.restore(manifestKey, signal).catch((error): Outcome => {
    if (error instanceof ZodError || error instanceof SyntaxError) return 'unknown';
    throw error;
  });
  if (outcome === 'unknown')
    log.warn({ key: manifestKey }, 'a manifest is damaged or of another release; it is kept');
  return outcome;
}

async function rebuild(
  rebuilder: Rebuilder,
  { redis, blobs, log }: Services,
  { concurrency, sinceMillis, isThorough = false, onPage }: Pass,
  signal: AbortSignal,
): Promise<Counts> {
  const counts = newCounts();
  // Each of the calls to storage at a time listens to it.
  setMaxListeners(0, signal);
  for await (const page of pagesOf(manifestsOf(rebuilder, blobs, sinceMillis, signal))) {
    const { exist } = await recordsExist(redis, page.map(rebuilder.recordOf));
    const unsure = isThorough ? page : page.filter((_, i) => !exist[i]);
    counts.known += page.length - unsure.length;
    await Readable.from(unsure).forEach(
      async (key: string) => {
        const outcome = await restoreOne(rebuilder, key, log, signal);
        if (outcome !== 'absent') counts[outcome]++;
      },
      { concurrency, signal },
    );
    await onPage?.(rebuilder.name, counts);
  }
  return counts;
}

export async function rebuildAll(
  rebuilders: readonly Rebuilder[],
  services: Services,
  pass: Pass,
  signal: AbortSignal,
): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {};
  for (const rebuilder of rebuilders)
    counts[rebuilder.name] = await rebuild(rebuilder, services, pass, signal);
  return counts;
}

/** Restores everything, and only then lets sweeps delete orphans again. */
export async function rebuildAndAdopt(
  rebuilders: readonly Rebuilder[],
  services: Services,
  pass: Omit<Pass, 'sinceMillis'>,
  signal: AbortSignal,
): Promise<Record<string, Counts>> {
  const counts = await rebuildAll(rebuilders, services, { ...pass, isThorough: true }, signal);
  await adoptInstallationId(services.redis, services.blobs);
  return counts;
}
