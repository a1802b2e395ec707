import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mintKey } from '../../../src/auth/api-key.ts';
import { ROOT } from '../../support/root.ts';
import { ask, json, jsonOf } from './ask.ts';
import type { Attack, Figure, Scene } from './attack.ts';

const run = promisify(execFile);
const DEVELOPMENT_KEY = mintKey();
const MAX_FEEDS = 3;
/** How soon after a revocation a stream must end. */
const STREAM_MILLIS = 10_000;
const MINUTE_MILLIS = 60_000;

/** Revokes a key as an operator does. */
async function revoke({ installation }: Scene, id: string): Promise<void> {
  const program = join(ROOT, 'dist/src/cli/main.js');
  const { home, redis } = installation;
  await run(process.execPath, [program, 'keys', 'revoke', id], {
    env: { ...process.env, SELVAGE_HOME: home, REDIS_URL: redis.url },
  });
}

/** Opens the events of a batch; resolves with the first bytes of the stream. */
async function openStream(url: string, key: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${key}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the stream answers ${response.statusCode}`);
  response.on('error', () => {}); // cut off
  await once(response, 'data');
  return response.resume();
}

/** Returns whether a stream ends, and not too late. */
const streamEnds = (stream: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(false);
      stream.destroy();
    }, STREAM_MILLIS);
    stream.on('close', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/** A development key that was revoked stays so when the gateway starts again. */
async function developmentKey(scene: Scene): Promise<Figure> {
  const { gateway, installation } = scene;
  const usage = () => ask(`${gateway.url}/intake/v1/usage`, { key: DEVELOPMENT_KEY });
  if ((await usage()).status !== 200) throw new Error('the development key is not accepted');
  const records = await installation.keys.list();
  for (const { client, id } of records) if (client === 'development') await revoke(scene, id);
  await gateway.end('SIGTERM');
  await gateway.start();
  const found = (await usage()).status === 200 ? 1 : 0;
  return { promise: 'a revoked development key after a restart', found, max: 0, unit: 'times' };
}

/**
 * The attacker has a key that is revoked. A stream it opened before must end, its feeds must not be fetched any more,
 * a restart must not accept it again, and before that it must not have had more feeds than its key allows.
 */
export const revocation: Attack = {
  name: 'revocation',
  does: 'a stream, scheduled feeds and a development key whose keys are revoked',
  settings: { SELVAGE_DEV_KEY: DEVELOPMENT_KEY },
  async play(scene) {
    const { gateway, shop, attackerKey, scale } = scene;
    const { key, record } = await attackerKey({ maxFeeds: MAX_FEEDS, feedIntervalSeconds: 60 });
    const created: number[] = [];
    for (let i = 0; i < 2 * MAX_FEEDS; i++) {
      const url = shop.put(`/scheduled-${i}.csv`, {
        body: 'id,title,image_link\n',
        type: 'text/csv',
      });
      const feed = { url, schedule: '* * * * *' };
      const { status } = await ask(`${gateway.url}/intake/v1/feeds`, { ...json(feed), key });
      if (status === 202) created.push(i);
    }
    const batches = `${gateway.url}/intake/v1/batches`;
    const { id } = jsonOf(await ask(batches, { ...json({}), key }));
    const ended = streamEnds(await openStream(`${batches}/${id}/events`, key));
    await revoke(scene, record.id);
    const isEnded = await ended;
    // Runs that had begun are over; from here on nothing may be fetched.
    const before = fetches(scene);
    const watchedMillis = scale(MINUTE_MILLIS + 10_000, 0);
    await pause(watchedMillis, undefined, { signal: scene.signal });
    return [
      {
        promise: `feeds beyond the ${MAX_FEEDS} of the key`,
        found: Math.max(0, created.length - MAX_FEEDS),
        max: 0,
        unit: 'times',
      },
      {
        promise: 'a stream goes on after its key was revoked',
        found: isEnded ? 0 : 1,
        max: 0,
        unit: 'times',
      },
      ...(watchedMillis > 0 ? [fetched(scene, before)] : []),
      await developmentKey(scene),
    ];
  },
};

const fetches = ({ shop }: Scene): number =>
  shop.requests.filter(({ path }) => path.startsWith('/scheduled-')).length;

const fetched = (scene: Scene, before: number): Figure => ({
  promise: 'feeds fetched in the 70 s after their key was revoked',
  found: fetches(scene) - before,
  max: 0,
  unit: 'times',
});
