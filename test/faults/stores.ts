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

/** The store of an installation, and what faults are played on. */
export interface Store {
  kind: StoreKind;
  /** For the processes that use it. */
  settings: NodeJS.ProcessEnv;
  /** The same store, by a way of its own that no fault is on. */
  blobs: Blobs;
  /** Before S3. */
  gate?: StoreGate;
  /** Under files; only where this process may mount. */
  disk?: Disk;
  close(): Promise<void>;
}

/** A disk of its own under a folder. */
export interface Disk {
  /** Nothing more can be written until `free`, but in place of what is deleted. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Nothing can be written or deleted until `unlock`. */
  lock(): Promise<void>;
  unlock(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** Room for some 80,000 units; memory is taken by what is written alone. */
const DISK_BYTES = 4 * 2 ** 30;

const MOST_TRIES = 20;

/** Does what others may be in the way of, until they are not. */
async function often(what: string, deed: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await deed();
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw new Error(`the disk cannot be ${what}`, { cause: error });
    }
  }
}

/** Mounts a disk in memory on a folder. Throws where this process may not mount. */
async function mountDisk(folder: string): Promise<Disk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'selvage', folder]);
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, folder]);
  return {
    fill: () =>
      // A file system that others write to meanwhile cannot be made smaller than what is in it.
      often('filled', async () => {
        const { stdout } = await run('df', ['--output=used', '--block-size=1', folder]);
        await resize(Math.max(Number(stdout.split('\n')[1]), 4096));
      }),
    free: async () => void (await resize(DISK_BYTES)),
    async lock() {
      await run('mount', ['--bind', folder, folder]);
      // Refused while somebody writes to a file that was opened since.
      await often('locked', () => run('mount', ['-o', 'remount,bind,ro', folder]));
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
    ...{ kind: 'fs', settings: { STORE: 'fs', STORE_DIR: dir }, blobs },
    ...(disk && { disk }),
    close: async () => disk?.remove(),
  };
}

/** A bucket of its own on the S3 server that the environment names, deleted at the end. */
async function openBucket(): Promise<Store> {
  const s3 = await testS3();
  if (typeof s3 === 'string') throw new Error(s3);
  const { endpoint, region, credentials } = s3;
  const gate = await startStoreGate(endpoint);
  const bucket = `selvage-faults-${randomUUID()}`;
  const blobs = await createS3Blobs({ endpoint, region, credentials, bucket });
  const settings = {
    ...{ STORE: 's3', S3_BUCKET: bucket, AWS_ENDPOINT_URL_S3: gate.endpoint, AWS_REGION: region },
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  return {
    ...{ kind: 's3', settings, blobs, gate },
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

/** Makes an empty store. */
export const makeStore = (kind: StoreKind, home: string): Promise<Store> =>
  kind === 's3' ? openBucket() : openFiles(home);
