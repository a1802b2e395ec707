import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeleteBucketCommand } from '@aws-sdk/client-s3';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { createS3Blobs, createS3Client } from '../../src/storage/s3-blobs.ts';
import { testS3 } from '../support/services.ts';
import { type StoreGate, startStoreGate } from './store-gate.ts';

export type StoreKind = 'fs' | 's3';

/** The storage of an installation, with its fault injection. */
export interface Store {
  kind: StoreKind;
  /** The settings of processes that use it. */
  settings: NodeJS.ProcessEnv;
  /** The same storage, without faults. */
  blobs: Blobs;
  /** The gate in front of S3. */
  gate?: StoreGate;
  /** The disk under the files; only if this process may mount. */
  disk?: Disk;
  close(): Promise<void>;
}

/** A separate disk under a folder. */
export interface Disk {
  /** Fills the disk until `free`: writes need deleted space. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Makes the disk read-only until `unlock`. */
  lock(): Promise<void>;
  unlock(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** Room for about 80,000 units; only written bytes use memory. */
const DISK_BYTES = 4 * 2 ** 30;

const MAX_TRIES = 20;

/** Retries an action that concurrent writes may block. */
async function retry(what: string, action: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await action();
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw new Error(`the disk cannot be ${what}`, { cause: error });
    }
  }
}

/** Mounts a disk in memory on a folder. Rejects if this process may not mount. */
async function mountDisk(folder: string): Promise<Disk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'selvage', folder]);
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, folder]);
  return {
    fill: () =>
      // A file system cannot be made smaller than its contents, which may grow meanwhile.
      retry('filled', async () => {
        const { stdout } = await run('df', ['--output=used', '--block-size=1', folder]);
        await resize(Math.max(Number(stdout.split('\n')[1]), 4096));
      }),
    free: async () => void (await resize(DISK_BYTES)),
    async lock() {
      await run('mount', ['--bind', folder, folder]);
      // Fails while a file is open for writing.
      await retry('locked', () => run('mount', ['-o', 'remount,bind,ro', folder]));
    },
    unlock: async () => void (await run('umount', ['--lazy', folder])),
    remove: async () => void (await run('umount', ['--lazy', '--all-targets', folder])),
  };
}

async function openFiles(home: string): Promise<Store> {
  const dir = join(home, 'store');
  await mkdir(dir);
  const disk = await mountDisk(dir).catch((error) => {
    console.error(`The disk is not filled up: ${String(error.stderr ?? error.message).trim()}`);
    return undefined;
  });
  const blobs = await createFsBlobs({ dir });
  return {
    kind: 'fs',
    settings: { STORE: 'fs', STORE_DIR: dir },
    blobs,
    ...(disk && { disk }),
    close: async () => disk?.remove(),
  };
}

/** A new bucket on the S3 server of the environment, deleted at the end. */
async function openBucket(): Promise<Store> {
  const s3 = await testS3();
  if (typeof s3 === 'string') throw new Error(s3);
  const { endpoint, region, credentials } = s3;
  const gate = await startStoreGate(endpoint);
  const bucket = `selvage-faults-${randomUUID()}`;
  const blobs = await createS3Blobs({ endpoint, region, credentials, bucket });
  const settings = {
    STORE: 's3',
    S3_BUCKET: bucket,
    AWS_ENDPOINT_URL_S3: gate.endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  return {
    kind: 's3',
    settings,
    blobs,
    gate,
    async close() {
      await gate.close();
      for await (const { key } of blobs.list('')) await blobs.delete(key);
      const client = createS3Client({ endpoint, region, credentials });
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
      blobs.close();
      await s3.stop();
    },
  };
}

/** Creates empty storage. */
export const makeStore = (kind: StoreKind, home: string): Promise<Store> =>
  kind === 's3' ? openBucket() : openFiles(home);
