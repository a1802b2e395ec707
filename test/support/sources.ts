import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { hostClock } from '../../src/platform/clock.ts';
import type { BucketServer } from './bucket-server.ts';
import { END_MILLIS } from './intake.ts';
import type { Stack } from './stack.ts';

const Source = z.looseObject({
  id: z.string(),
  status: z.string(),
  counts: z.record(z.string(), z.number()),
  problem: z.object({ type: z.string(), detail: z.string(), since: z.string() }).optional(),
});
export type Source = z.infer<typeof Source>;

const ManifestLine = z.looseObject({
  input: z.string(),
  version: z.string(),
  status: z.string(),
  output: z.string().optional(),
  sha256: z.string().optional(),
  problem: z.object({ type: z.string(), detail: z.string() }).optional(),
});
export type ManifestLine = z.infer<typeof ManifestLine>;

const parseLines = (text: string): ManifestLine[] =>
  text.split('\n').flatMap((line) => (line ? [ManifestLine.parse(JSON.parse(line))] : []));

/** Access to a bucket server of tests. */
export const bucketPlace = (server: BucketServer, bucket: string, prefix = '') => ({
  kind: 's3',
  bucket,
  prefix,
  endpoint: server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
});

/** Writes the file that declares sources; returns its path. */
export async function declareSources(folder: string, sources: readonly object[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'sources.json');
  await writeFile(path, JSON.stringify({ sources }));
  return path;
}

/** No file as old as this is still being written, so no test waits until it counts as complete. */
const OLD_MILLIS = 3_600_000;

/** Writes a file, as if it had been there for a while. */
export async function putFile(folder: string, name: string, body: Uint8Array | string) {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  const written = new Date(hostClock() - OLD_MILLIS);
  await utimes(path, written, written);
}

/** Returns all lines of the manifests in a folder, in the order of time. */
export async function folderManifest(to: string): Promise<ManifestLine[]> {
  const folder = join(to, 'selvage-manifest');
  const names = await readdir(folder).catch(() => []);
  const texts = names.sort().map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).flatMap(parseLines);
}

/** The same below a prefix of a bucket. */
export const bucketManifest = (server: BucketServer, bucket: string, prefix = ''): ManifestLine[] =>
  server
    .keys(bucket)
    .filter((key) => key.startsWith(`${prefix}selvage-manifest/`))
    .flatMap((key) => parseLines(String(server.get(bucket, key))));

/** Sends requests about sources with one key. */
export function sourceClient(stack: Pick<Stack, 'url'>, key: string) {
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${stack.url}/intake/v1/sources${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = async (id: string): Promise<Source> =>
    Source.parse(await (await send('GET', `/${id}`)).json());
  return {
    send,
    get,
    /** Returns what the key has left. */
    async usage() {
      const response = await fetch(`${stack.url}/intake/v1/usage`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return z.looseObject({ quota: z.unknown() }).parse(await response.json());
    },
    /** Starts a source. */
    async start(id: string, settings: object = {}): Promise<Source> {
      const response = await send('PUT', `/${id}`, settings);
      expect(response.status).toBe(200);
      return Source.parse(await response.json());
    },
    /** Waits until a source looks like this. */
    async until(id: string, wanted: object): Promise<Source> {
      await expect
        .poll(() => get(id), { timeout: END_MILLIS, interval: 100 })
        .toMatchObject(wanted);
      return get(id);
    },
  };
}

export type SourceClient = ReturnType<typeof sourceClient>;
