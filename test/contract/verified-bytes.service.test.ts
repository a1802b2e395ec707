import { createHash } from 'node:crypto';
import { open, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { JobRecords } from '../../src/intake/job-records.ts';
import { JobRetention } from '../../src/intake/job-retention.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { uploadedRow } from '../support/batches.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { listStoredFiles } from '../support/stored-files.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, intake, batches } = await useSharedStack();

let images = 0;
const another = (): Promise<Buffer> =>
  drawnShirtOnWood({ width: 300 + ++images, height: 300, format: 'jpeg' });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the file in storage that holds the cut-out of a job or batch. */
async function cutOutFile(id: string): Promise<string> {
  const files = await listStoredFiles(join(stack.home, 'store', 'blobs', 'out~'));
  const [file, ...more] = files.filter((path) => path.includes(id));
  expect(more).toEqual([]);
  return file!;
}

/** A bit that turns on the disk. */
async function flip(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, 1000);
  await handle.write(Buffer.from([byte[0]! ^ 1]), 0, 1, 1000);
  await handle.close();
}

async function expectDamaged(response: Response): Promise<void> {
  expect(await response.json()).toMatchObject({
    type: 'damaged',
    status: 500,
    detail: expect.stringContaining('again'),
  });
  expect(response.status).toBe(500);
}

const removed = async (image: Uint8Array) => {
  const { id } = await readJob(await intake.post(image));
  return intake.until(id, 'succeeded');
};

// Each kind of damage: test/api/verified-blob.test.ts. A blob's metadata follow its bytes.
test.each<[what: string, harm: (file: string) => Promise<void>]>([
  ['has one byte flipped', flip],
  ['was cut short', (file) => truncate(file, 1000)],
  ['is missing', unlink],
])('a job whose cut-out %s has a problem of its own, and it is made again', async (_, harm) => {
  const image = await another();
  const { id, results } = await removed(image);
  await harm(await cutOutFile(id));
  await expectDamaged(await intake.result(id));
  expect(await intake.status(id)).toBe('succeeded');
  expect(await stack.logs()).toMatch(new RegExp(`damaged.*${id}`));

  const anew = await removed(image);
  const bytes = Buffer.from(await (await intake.result(anew.id)).arrayBuffer());
  expect(sha256(bytes)).toBe(results?.cutout?.sha256);
  expect(anew.results?.cutout?.sha256).toBe(results?.cutout?.sha256);
});

test('a damaged row of a batch is a problem of its own, and named in the archive', async () => {
  const id = await batches.completed(uploadedRow('a', await another()));
  await flip(await cutOutFile(id));
  await expectDamaged(await batches.ask('GET', `/batches/${id}/rows/0/cutout`));
  const response = await batches.ask('GET', `/batches/${id}/archive`);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  expect(Object.keys(files)).toEqual(['errors.ndjson']);
  expect(JSON.parse(Buffer.from(files['errors.ndjson']!).toString())).toMatchObject({
    customId: 'a',
    problem: { type: 'damaged' },
  });
});

test('no redirect leads to a file that was cut short', async () => {
  const { id } = await removed(await another());
  await truncate(await cutOutFile(id), 1000);
  const path = `/jobs/${id}/result?delivery=redirect`;
  await expectDamaged(await intake.ask('GET', path, { redirect: 'manual' }));
});

test('a job that the sweep ends because its cut-out is missing has not expired', async () => {
  const { id } = await removed(await another());
  const log = createLog('test', 'silent');
  const redis = commandConnection(stack.redis.url, log);
  await untilReady(redis, AbortSignal.timeout(10_000));
  onTestFinished(() => redis.disconnect());
  const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
  const records = new JobRecords(redis, hostClock);
  await new JobRetention(records, blobs).expire((await records.get(id))!, Date.now());
  await expectDamaged(await intake.result(id));
});

test('no signed link leads to other bytes than those that were made', async () => {
  const { id } = await removed(await another());
  const path = `/jobs/${id}/result?delivery=redirect`;
  const { headers } = await intake.ask('GET', path, { redirect: 'manual' });
  const link = `${stack.url}${headers.get('location')}`;
  expect((await fetch(link)).status).toBe(200);
  await flip(await cutOutFile(id));
  await expectDamaged(await fetch(link));
});

test('an erased job is still gone', async () => {
  const { id } = await removed(await another());
  await intake.erase(id);
  expect((await intake.result(id)).status).toBe(410);
});
