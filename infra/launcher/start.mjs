// @ts-check
import { join, resolve } from 'node:path';
import { anyWorkerPort, gatewayAddress, refuseTakenPort } from './address.mjs';
import { childRunner } from './child.mjs';
import { developmentKey } from './development-key.mjs';
import { namedOrOwnRedis } from './find-redis.mjs';
import { installPackages } from './install.mjs';
import { claimHome } from './instance.mjs';
import { banner, consoleLink, untilReady } from './ready.mjs';

/**
 * @typedef {object} StartOptions
 * @property {string} root the repository
 * @property {import('./terminal.mjs').Say} say
 * @property {import('./signals.mjs').Life} life
 * @property {boolean} json print one line of JSON when ready, for scripts
 * @property {boolean} verbose show every log line
 * @property {boolean} watch start a process again when its source changes
 */

/**
 * Brings up Redis, gateway and worker, says so when they are ready, and keeps them up.
 * @param {StartOptions} options
 * @returns {Promise<never>} rejects when one of them is given up
 */
export async function start({ root, say, life, json, verbose, watch }) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const home = resolve(root, env.SELVAGE_HOME ?? '.selvage');
  const { host, port, url } = await gatewayAddress(env);

  const claim = await claimHome(home, url, say);
  life.atEnd(async () => claim.release());
  await refuseTakenPort(port, host);
  await installPackages(root, say);
  const redis = await namedOrOwnRedis(env.REDIS_URL, {
    dir: join(home, 'redis'),
    life,
    say,
    onStart: (pid) => claim.note({ pids: { redis: pid } }),
  });
  claim.note({ redisUrl: redis.url });
  const key = env.SELVAGE_DEV_KEY ?? (await developmentKey(root, home));

  const childEnv = {
    ...env,
    HOST: host,
    PORT: String(port),
    WORKER_PORT: env.WORKER_PORT ?? String(await anyWorkerPort(port)),
    SELVAGE_HOME: home,
    REDIS_URL: redis.url,
    SELVAGE_DEV_KEY: key,
  };
  const shownLevel = verbose || ['debug', 'trace'].includes(env.LOG_LEVEL ?? '') ? 'trace' : 'warn';
  const run = childRunner({ root, home, env: childEnv, claim, life, say, shownLevel, watch });
  // Ended in the opposite order: the worker stays until the gateway has answered all it took in.
  const children = [run('worker'), run('gateway')];
  const failed = Promise.race([redis, ...children].map((part) => part.failed));

  await say.step('Starting gateway and worker', () => Promise.race([untilReady(url), failed]));
  for (const child of children) child.ready();
  claim.note({ readyAt: new Date().toISOString() });
  life.endsWith(0);
  const links = { consoleUrl: consoleLink(url, key), docsUrl: `${url}/docs` };
  if (json) console.log(JSON.stringify({ ...claim.read(), ...links, key, home }));
  else say.line(banner({ root, home, url, key }, say.paint));
  return failed;
}
