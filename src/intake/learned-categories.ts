import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Blobs } from '../storage/blobs.ts';
import { NamedSettings, type SettingsKind } from './named-settings.ts';

/** Shop categories of one client; of more, those that were decided about longest ago go. */
export const MAX_PATHS = 5000;
/** Decisions about one path that can be taken back; older ones are only counted. */
const MAX_OPEN_DECISIONS = 100;
/** Paths that are stored or forgotten at once. */
const CONCURRENCY = 16;

const LearnedPath = z.object({
  path: z.string(),
  /** Rows and the categories that people gave them, in the order of the decisions. */
  decided: z.array(z.tuple([z.string(), z.string()])),
  /** Decisions by category besides these: imported ones, and older ones. */
  counts: z.record(z.string(), z.number()),
  changedAt: z.iso.datetime(),
});
type LearnedPath = z.infer<typeof LearnedPath>;

export const LEARNED_CATEGORIES: SettingsKind<LearnedPath> = {
  kind: 'categories',
  schema: LearnedPath,
  max: MAX_PATHS,
};

/** The decisions about a shop category, by category of the dictionary; never without any. */
export interface PathDecisions {
  path: string;
  counts: Readonly<Record<string, number>>;
  changedAt: string;
}

/** Names are parts of keys. */
const nameOf = (path: string): string =>
  createHash('sha256').update(path).digest('hex').slice(0, 32);

function totalOf({ path, counts, decided, changedAt }: LearnedPath): PathDecisions {
  const total = { ...counts };
  for (const [, category] of decided) total[category] = (total[category] ?? 0) + 1;
  return { path, counts: total, changedAt };
}

/** The category that most decisions about a path name; undefined without decisions. */
export function learnedFrom({ path, counts }: PathDecisions) {
  const [most] = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const decisions = Object.values(counts).reduce((a, b) => a + b, 0);
  if (!most || decisions === 0) return undefined;
  const [category, agreeing] = most;
  return { path, category, decisions, agreement: Math.round((agreeing / decisions) * 1000) / 1000 };
}

/** What a client's people have decided about the categories of its shop. */
export class LearnedCategories {
  readonly #settings: NamedSettings<LearnedPath>;
  readonly #now: Clock;

  constructor(redis: Redis, blobs: Pick<Blobs, 'put' | 'delete'>, now: Clock) {
    this.#settings = new NamedSettings(redis, blobs, LEARNED_CATEGORIES, now);
    this.#now = now;
  }

  /** Returns what is learnt of a normalised path. */
  async find(client: string, path: string) {
    const known = await this.#settings.get(client, nameOf(path));
    return known && learnedFrom(totalOf(known));
  }

  /** Returns the paths that were decided about, by path. */
  async list(client: string): Promise<PathDecisions[]> {
    const all = (await this.#settings.list(client)).map(totalOf);
    return all.filter((each) => learnedFrom(each)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Takes a decision about a row; a later one about the same row replaces it. @param category undefined takes it back */
  async decide(client: string, path: string, row: string, category?: string): Promise<void> {
    await this.#change(client, path, ({ decided, counts }) => {
      const others = decided.filter(([other]) => other !== row);
      const all = category === undefined ? others : [...others, [row, category] as const];
      const total = { ...counts };
      for (const [, older] of all.slice(0, -MAX_OPEN_DECISIONS))
        total[older] = (total[older] ?? 0) + 1;
      return { decided: all.slice(-MAX_OPEN_DECISIONS).map(([a, b]) => [a, b]), counts: total };
    });
  }

  /** Replaces what is known of paths; others stay. */
  async put(client: string, paths: readonly Omit<PathDecisions, 'changedAt'>[]): Promise<void> {
    await this.#makeRoom(
      client,
      paths.map(({ path }) => path),
    );
    await forEach(paths, ({ path, counts }) =>
      this.#change(client, path, () => ({ decided: [], counts: { ...counts } })),
    );
  }

  /** Forgets a normalised path, or all; returns how many there were. */
  async forget(client: string, path?: string): Promise<number> {
    if (path !== undefined) return (await this.#settings.remove(client, nameOf(path))) ? 1 : 0;
    const all = await this.#settings.list(client);
    await forEach(all, ({ name }) => this.#settings.remove(client, name));
    return all.length;
  }

  async #change(
    client: string,
    path: string,
    change: (known: LearnedPath) => Pick<LearnedPath, 'decided' | 'counts'>,
  ): Promise<void> {
    const changedAt = new Date(this.#now()).toISOString();
    const none = { path, decided: [], counts: {}, changedAt };
    const next = (known: LearnedPath = none) => ({ path, ...change(known), changedAt });
    while (!(await this.#settings.change(client, nameOf(path), next)))
      await this.#makeRoom(client, [path]);
  }

  /** Forgets as many paths as these need room: those that were decided about longest ago, and none of these. */
  async #makeRoom(client: string, paths: readonly string[]): Promise<void> {
    const names = new Set(paths.map(nameOf));
    const known = await this.#settings.names(client);
    const excess = new Set([...known, ...names]).size - MAX_PATHS;
    if (excess <= 0) return;
    const others = (await this.#settings.list(client)).filter(({ name }) => !names.has(name));
    const oldest = others.sort((a, b) => (a.changedAt < b.changedAt ? -1 : 1)).slice(0, excess);
    await forEach(oldest, ({ name }) => this.#settings.remove(client, name));
  }
}

const forEach = <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> =>
  Readable.from(items).forEach(async (item: T) => void (await act(item)), {
    concurrency: CONCURRENCY,
  });
