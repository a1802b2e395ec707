import { join } from 'node:path';
import { createClient } from '../../client/client.ts';
import { type Config, ConfigError, readConfig } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { commandConnection, untilReady } from '../../platform/redis.ts';
import { localInstance } from '../connection/server-profile.ts';
import { EXIT } from '../terminal/exit.ts';
import { type Colour, type Output, paint, print } from '../terminal/output.ts';
import { type Finding, fail } from './finding.ts';
import { checkDisk, checkNode, checkPort } from './machine.ts';
import { checkDevice, checkModels } from './model.ts';
import { checkRedis } from './redis.ts';
import { checkStore } from './store.ts';

const CONNECT_MILLIS = 3000;

/** The address without user and password. */
function shownAddress(redisUrl: string): string {
  const { host } = new URL(redisUrl);
  return host;
}

async function askRedis(redisUrl: string): Promise<Finding[]> {
  const redis = commandConnection(redisUrl, createLog('cli', 'silent'));
  try {
    await untilReady(redis, AbortSignal.timeout(CONNECT_MILLIS));
    return await checkRedis(redis);
  } catch {
    const advice = 'Start it (npm start brings its own), or set REDIS_URL to the one that is used.';
    return [fail('redis', `no Redis answers at ${shownAddress(redisUrl)}`, advice)];
  } finally {
    redis.disconnect();
  }
}

/** Whether a gateway answers at this address: its coefficients need no key. */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  const client = createClient({
    baseUrl: url,
    retry: { mostAttempts: 1 },
    timeoutMillis: CONNECT_MILLIS,
  });
  return client.look.params({ signal }).then(
    () => true,
    () => false,
  );
}

async function askPort({ HOST, PORT }: Config, signal: AbortSignal): Promise<Finding> {
  const local = localInstance(process.env);
  const url = new URL(local?.url ?? `http://${HOST}:${PORT}`);
  return checkPort(HOST, Number(url.port), await answers(url.origin, signal));
}

async function examine(config: Config, signal: AbortSignal): Promise<Finding[]> {
  const { SELVAGE_HOME, STORE, STORE_DIR, MODEL, DEVICE, REDIS_URL } = config;
  const all = await Promise.all([
    askRedis(REDIS_URL),
    checkStore(config),
    checkModels(MODEL, join(SELVAGE_HOME, 'models')),
    checkDevice(DEVICE, signal),
    askPort(config, signal),
    checkDisk(STORE === 'fs' ? STORE_DIR : SELVAGE_HOME),
  ]);
  return all.flat();
}

const COLOURS: Readonly<Record<Finding['status'], Colour>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
};

function textOf(findings: readonly Finding[]): string {
  const wide = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .map(({ name, status, detail, advice }) => {
      const line = `${paint(COLOURS[status], status.padEnd(4))}  ${name.padEnd(wide)}  ${detail}`;
      return advice ? `${line}\n${' '.repeat(wide + 8)}${advice}` : line;
    })
    .join('\n');
}

/** Looks at everything and tells it. */
export async function diagnose(output: Output, signal: AbortSignal): Promise<void> {
  const findings = [checkNode(process.versions.node)];
  try {
    findings.push(...(await examine(readConfig(process.env), signal)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.push(fail('settings', error.message.replaceAll(/\s+/g, ' '), 'Mend the environment.'));
  }
  const isWell = findings.every(({ status }) => status !== 'fail');
  print(output, { ok: isWell, findings }, textOf(findings));
  if (!isWell) process.exitCode = EXIT.failed;
}
