import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../../packages/client/src/client.ts';
import { drawnShirt } from '../../test/support/images.ts';
import { StartError } from '../launcher/start-error.mjs';
import type { Engine } from './engine.ts';
import { imageName } from './service-images.ts';
import type { Running, Stack } from './stack.ts';

const PHOTO = { width: 800, height: 800, format: 'jpeg' } as const;
const JOBS_PER_KILL = 8;
const JOBS_BEFORE_KILL = 2;
const SENDERS = 2;
const AWAY_MILLIS = 3000;
/** Pulled and built images start in less, on any machine. */
const ALL_IN_ONE_SECONDS = 300;
const PNG_SIGNATURE = '89504e470d0a1a0a';

const seconds = (sinceMillis: number): number => (performance.now() - sinceMillis) / 1000;

export interface StartFigures {
  /** Until all parts are healthy, seconds. */
  healthySeconds: number;
  /** Until the first removal was answered, seconds. */
  firstAnswerSeconds: number;
  /** The second removal alone, seconds. */
  secondAnswerSeconds: number;
}

export interface KillFigures {
  part: Running;
  /** Jobs that were accepted before, while and after the part was away. */
  accepted: number;
  succeeded: number;
  /** From its new start until the gateway is ready, seconds. */
  readySeconds: number;
  /** From its new start until the last job ended, seconds. */
  doneSeconds: number;
}

/** Starts a new stack and sends its first removals. */
export async function tryStart(stack: Stack): Promise<{ client: Client; figures: StartFigures }> {
  const photo = await drawnShirt(PHOTO);
  const begunMillis = performance.now();
  await stack.up();
  const healthySeconds = seconds(begunMillis);
  const client = await stack.client();
  await stack.untilReady();
  await remove(client, photo);
  const firstAnswerSeconds = seconds(begunMillis);
  const secondMillis = performance.now();
  await remove(client, photo);
  const secondAnswerSeconds = seconds(secondMillis);
  return { client, figures: { healthySeconds, firstAnswerSeconds, secondAnswerSeconds } };
}

/** Runs the image with everything in it; returns after how many seconds a removal was answered. */
export async function tryAllInOne({ docker }: Engine, port: number): Promise<number> {
  const photo = await drawnShirt(PHOTO);
  const begunMillis = performance.now();
  const publish = `127.0.0.1:${port}:8080`;
  const image = imageName('all-in-one', 'now');
  const id = await docker('run', '--detach', '--init', '--publish', publish, image);
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (seconds(begunMillis) > ALL_IN_ONE_SECONDS)
        throw new StartError(`The container is not ready:\n${await docker('logs', id)}`);
      await delay(250);
    }
    const key = await docker('exec', id, 'cat', '/var/lib/selvage/dev-key');
    await remove(createClient({ baseUrl, key }), photo);
    return seconds(begunMillis);
  } finally {
    await docker('rm', '--force', '--volumes', id);
  }
}

async function remove(client: Client, photo: Buffer): Promise<void> {
  const { image } = await client.removeBackground(photo, { format: 'png' });
  const signature = Buffer.from(image.subarray(0, 8)).toString('hex');
  if (signature !== PNG_SIGNATURE) throw new StartError('The cut-out is not a PNG.');
}

/** Kills a part while jobs are sent, starts it again, and waits for every job that was accepted. */
export async function tryKill(stack: Stack, client: Client, part: Running): Promise<KillFigures> {
  const photo = await drawnShirt(PHOTO);
  const ids: string[] = [];
  let sent = 0;
  const send = async () => {
    while (sent++ < JOBS_PER_KILL) ids.push((await client.jobs.create({ image: photo })).id);
  };
  const sending = Promise.all(Array.from({ length: SENDERS }, send));
  while (ids.length < JOBS_BEFORE_KILL) await Promise.race([sending, delay(20)]);
  await stack.kill(part);
  await delay(AWAY_MILLIS);
  const startMillis = performance.now();
  await stack.start(part);
  await stack.untilReady();
  const readySeconds = seconds(startMillis);
  await sending;
  const jobs = await Promise.all(ids.map((id) => client.jobs.wait(id)));
  const succeeded = jobs.filter(({ status }) => status === 'succeeded').length;
  const figures = { part, accepted: ids.length, succeeded };
  return { ...figures, readySeconds, doneSeconds: seconds(startMillis) };
}

export interface UpgradeFigures {
  /** Between the start of the upgrade and a ready gateway, seconds. */
  readySeconds: number;
}

/** Makes a result with one stack, lets another take its place, and reads the result with the same key. */
export async function tryUpgrade(before: Stack, after: Stack): Promise<UpgradeFigures> {
  await before.up();
  const client = await before.client();
  await before.untilReady();
  const photo = await drawnShirt(PHOTO);
  const { id } = await client.jobs.create({ image: photo });
  await client.jobs.wait(id);
  const { image } = await client.jobs.result(id);
  const begunMillis = performance.now();
  await after.up();
  await after.untilReady();
  const readySeconds = seconds(begunMillis);
  const retained = await client.jobs.result(id);
  if (!Buffer.from(retained.image).equals(image)) {
    throw new StartError('After the upgrade, a result of before is a different image.');
  }
  await remove(client, photo);
  return { readySeconds };
}
