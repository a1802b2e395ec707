// @ts-check
import { join } from 'node:path';
import { gatewayAddress, requireFreePort, warnIfReachable, workerPort } from './address.mjs';
import { childRunner } from './child.mjs';
import { compile } from './compile.mjs';
import { developmentKey } from './development-key.mjs';
import { openRedis } from './find-redis.mjs';
import { installPackages, installRuntime, isCheckout } from './install.mjs';
import { claimHome } from './instance.mjs';
import { banner, untilReady } from './ready.mjs';

/**
 * @typedef {object} StartOptions
 * @property {string} root the repository, or the installed package
 * @property {string} home keys, blobs, Redis data and logs
 * @property {import('./terminal.mjs').Terminal} terminal
 * @property {import('./signals.mjs').Shutdown} shutdown
 * @property {boolean} json prints one line of JSON when ready, for scripts
 * @property {boolean} verbose shows every log line
 * @property {boolean} watch restarts a process when its source changes
 */

/**
 * Starts Redis, gateway and worker, reports when they are ready, and keeps them running.
 * @param {StartOptions} options
 * @returns {Promise<never>} rejects if one of them cannot start
 */
export async function start({ root, home, terminal, shutdown, json, verbose, watch }) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const { host, port, url } = await gatewayAddress(env);

  const claim = await claimHome(home, url, terminal);
  shutdown.onShutdown(async () => claim.release());
  await requireFreePort(port, host);
  await warnIfReachable(host, terminal);
  if (isCheckout(root)) await installPackages(root, terminal);
  else await installRuntime(root, terminal);
  if (!watch && isCheckout(root)) await compile(root, terminal);
  const redis = await openRedis(env.REDIS_URL, {
    dir: join(home, 'redis'),
    shutdown,
    terminal,
    onStart: (pid) => claim.note({ pids: { redis: pid } }),
  });
  claim.note({ redisUrl: redis.url });
  const developer = await developmentKey({ root, home, chosen: env.SELVAGE_DEV_KEY });

  const childEnv = {
    ...env,
    HOST: host,
    PORT: String(port),
    WORKER_PORT: env.WORKER_PORT ?? String(await workerPort(port)),
    SELVAGE_HOME: home,
    REDIS_URL: redis.url,
    SELVAGE_DEV_KEY: developer.key,
  };
  const shownLevel = verbose || ['debug', 'trace'].includes(env.LOG_LEVEL ?? '') ? 'trace' : 'warn';
  const run = childRunner({
    root,
    home,
    env: childEnv,
    claim,
    shutdown,
    terminal,
    shownLevel,
    watch,
  });
  // Stopped in reverse order: the worker runs until the gateway has answered every open request.
  const children = [await run('worker'), await run('gateway')];
  const failed = Promise.race([redis, ...children].map((process) => process.failed));

  /** @param {string} missing */
  const onSlow = (missing) => terminal.line(`Still starting. ${missing}. Ctrl-C stops everything.`);
  await terminal.step('Starting gateway and worker', () =>
    Promise.race([untilReady(url, onSlow), failed]),
  );
  for (const child of children) child.ready();
  claim.note({ readyAt: new Date().toISOString() });
  shutdown.exitWith(0);
  const facts = { consoleUrl: url, docsUrl: `${url}/docs`, keyFile: developer.file, home };
  if (json) console.log(JSON.stringify({ ...claim.read(), ...facts }));
  else terminal.line(banner({ root, home, url, developer }, terminal));
  return failed;
}
