import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import { pictureOf } from '../../support/feed-server.ts';
import { listStoredFiles } from '../../support/stored-files.ts';
import { ask, filesForm, json, jsonOf } from './ask.ts';
import type { Attack, Figure, Scene } from './attack.ts';

const MIB = 2 ** 20;
const SAMPLE_MILLIS = 100;
const FILES = 40;
const UPLOADS = 3;
const FEED_MILLIS = 60_000;

/** Adds up all files under a folder, bytes; files that vanish meanwhile count nothing. */
async function bytesUnder(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await listStoredFiles(folder)).map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Measures what an action adds to the store: at its peak, and afterwards. */
async function stored(folder: string, action: () => Promise<void>) {
  const before = await bytesUnder(folder);
  let peak = before;
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await bytesUnder(folder));
      await pause(SAMPLE_MILLIS);
    }
  })();
  await action();
  isOver = true;
  await sampling;
  return { peakBytes: peak - before, leftBytes: (await bytesUnder(folder)) - before };
}

/** Opens a batch; resolves with the URL of its rows. */
async function openBatch({ gateway }: Scene, key: string): Promise<string> {
  const batches = `${gateway.url}/intake/v1/batches`;
  const { id } = jsonOf(await ask(batches, { ...json({}), key }));
  return `${batches}/${id}/items`;
}

/** Valid pictures, made large by bytes after their end. */
async function uploads(scene: Scene, folder: string): Promise<Figure[]> {
  const { key } = await scene.attackerKey({ quotaPerDay: 0 });
  const padding = Buffer.alloc(scene.scale(2 * MIB, MIB / 4));
  const picture = Buffer.concat([await pictureOf(1), padding]);
  const form = await filesForm(Array.from({ length: FILES }, () => ['f', picture]));
  const { leftBytes, peakBytes } = await stored(folder, async () => {
    for (let i = 0; i < UPLOADS; i++) {
      await ask(await openBatch(scene, key), { ...form, key });
    }
  });
  const what = `${UPLOADS} uploads of ${FILES} files without quota`;
  return [
    kib(`left by ${what}`, leftBytes, 64),
    kib(`stored during ${what}`, peakBytes, scene.scale(25 * 1024, 4 * 1024)),
  ];
}

const kib = (promise: string, bytes: number, max: number): Figure => ({
  promise,
  found: Math.max(0, Math.round(bytes / 1024)),
  max,
  unit: 'KiB',
});

/** Compresses a megabyte of zeros so many times. */
async function brotliBomb(mib: number): Promise<Buffer> {
  const zeros = Buffer.alloc(MIB);
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  };
  const packed = Readable.from(Array.from({ length: mib }, () => zeros)).pipe(
    createBrotliCompress(options),
  );
  return Buffer.concat(await packed.toArray());
}

async function bomb(scene: Scene, folder: string): Promise<Figure[]> {
  const { gateway, shop, scale } = scene;
  const { key } = await scene.attackerKey();
  const bytes = await brotliBomb(scale(1000, 200));
  const url = shop.put('/bomb.csv', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/csv', 'content-encoding': 'br' }).end(bytes);
  });
  const feeds = `${gateway.url}/intake/v1/feeds`;
  const { leftBytes, peakBytes } = await stored(folder, async () => {
    const { id, run } = jsonOf(await ask(feeds, { ...json({ url }), key }));
    if (typeof run !== 'object' || run === null || !('id' in run)) return;
    const until = performance.now() + FEED_MILLIS;
    while (performance.now() < until) {
      const { status } = jsonOf(await ask(`${feeds}/${id}/runs/${run.id}`, { key }));
      if (status === 'failed' || status === 'completed') break;
      await pause(1000);
    }
  });
  const what = `a feed of ${bytes.length} bytes, unpacked ${scale(1000, 200)} MiB`;
  return [
    kib(`stored during ${what}`, peakBytes, 16 * 1024),
    kib(`left by ${what}`, leftBytes, 64),
  ];
}

async function emptyRows(scene: Scene, folder: string): Promise<Figure[]> {
  const { key } = await scene.attackerKey();
  const body = '{}\n'.repeat(scene.scale(300_000, 30_000));
  const { leftBytes } = await stored(folder, async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    await ask(await openBatch(scene, key), { method: 'POST', headers, body, key });
  });
  const sentKib = Math.round(body.length / 1024);
  return [kib(`left by ${sentKib} KiB of empty rows`, leftBytes, 2 * sentKib)];
}

/**
 * The attacker has one key. It sends little, or nothing that is accepted, and the store must hold little of it
 * meanwhile and nothing of the rejected afterwards.
 */
export const storage: Attack = {
  name: 'storage',
  does: 'uploads without quota, a feed that unpacks to 1,000 MB, and rows of {}',
  async play(scene) {
    const folder = join(scene.installation.home, 'store');
    return [
      ...(await uploads(scene, folder)),
      ...(await bomb(scene, folder)),
      ...(await emptyRows(scene, folder)),
    ];
  },
};
