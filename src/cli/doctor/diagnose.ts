import { join } from 'node:path';
import { createClient } from '../../../packages/client/src/client.ts';
import { type Config, ConfigError, readConfig } from '../../platform/config.ts';
import { homeOf, readInstance, START, whyNoInstance } from '../../platform/local-instance.ts';
import { createLog } from '../../platform/log.ts';
import { describeRedis } from '../../platform/redis.ts';
import { connectRedis } from '../../platform/redis-check.ts';
import { EXIT } from '../terminal/exit.ts';
import { type Colour, type Output, paint, print } from '../terminal/output.ts';
import { type Finding, fail, firstLineOf, warn } from './finding.ts';
import { checkCLibrary, checkDisk, checkNode, checkPort, glibcVersion } from './machine.ts';
import { checkDevice, checkModels } from './model.ts';
import { checkPublishedLink } from './published-link.ts';
import { checkRedis } from './redis.ts';
import { checkStorage } from './storage.ts';

const CONNECT_MILLIS = 3000;

/** Without any, a process assumes the Redis that listens on this machine, which may be another's. */
function diagnoseInstance(config: Config): Finding[] {
  const { SELVAGE_HOME: home, REDIS_SENTINELS, REDIS_CLUSTER } = config;
  if (process.env.REDIS_URL || REDIS_SENTINELS || REDIS_CLUSTER || readInstance(home)) return [];
  const advice = `Set SELVAGE_HOME to the folder of a running one, or REDIS_URL: this checks ${describeRedis(config)}.`;
  return [warn('instance', whyNoInstance(home), advice)];
}

async function diagnoseRedis(config: Config): Promise<Finding[]> {
  const redis = await connectRedis(config, createLog('cli', 'silent'), CONNECT_MILLIS).catch(
    firstLineOf,
  );
  if (typeof redis === 'string') {
    const advice = `Start it (${START} starts one), or set REDIS_URL to the Redis of the service.`;
    return [fail('redis', redis, advice)];
  }
  const findings = await checkRedis(redis);
  redis.disconnect();
  return findings;
}

/** Whether a gateway responds at this URL: its coefficients need no key. */
async function isGateway(url: string, signal: AbortSignal): Promise<boolean> {
  const client = createClient({
    baseUrl: url,
    retry: { maxAttempts: 1 },
    timeoutMillis: CONNECT_MILLIS,
  });
  return client.look.params({ signal }).then(
    () => true,
    () => false,
  );
}

async function diagnosePort({ HOST, PORT }: Config, signal: AbortSignal): Promise<Finding> {
  const local = readInstance(homeOf(process.env));
  const url = new URL(local?.url ?? `http://${HOST}:${PORT}`);
  return checkPort(HOST, Number(url.port), await isGateway(url.origin, signal));
}

async function runChecks(config: Config, signal: AbortSignal): Promise<Finding[]> {
  const { SELVAGE_HOME, STORE, STORE_DIR, MODEL, DEVICE } = config;
  const all = await Promise.all([
    diagnoseInstance(config),
    diagnoseRedis(config),
    checkStorage(config),
    checkPublishedLink(config, signal),
    checkModels(MODEL, join(SELVAGE_HOME, 'models')),
    checkDevice(DEVICE, signal),
    diagnosePort(config, signal),
    checkDisk(STORE === 'fs' ? STORE_DIR : SELVAGE_HOME),
  ]);
  return all.flat();
}

const COLOURS: Readonly<Record<Finding['status'], Colour>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
};

function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .map(({ name, status, detail, advice }) => {
      const line = `${paint(COLOURS[status], status.padEnd(4))}  ${name.padEnd(width)}  ${detail}`;
      return advice ? `${line}\n${' '.repeat(width + 8)}${advice}` : line;
    })
    .join('\n');
}

/** Runs all checks and prints the findings. */
export async function diagnose(output: Output, signal: AbortSignal): Promise<void> {
  const findings = [
    checkNode(process.versions.node),
    checkCLibrary(process.platform, glibcVersion()),
  ];
  try {
    findings.push(...(await runChecks(readConfig(process.env), signal)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.push(
      fail('settings', error.message.replaceAll(/\s+/g, ' '), 'Fix these environment variables.'),
    );
  }
  const isHealthy = findings.every(({ status }) => status !== 'fail');
  print(output, { ok: isHealthy, findings }, formatFindings(findings));
  if (!isHealthy) process.exitCode = EXIT.failed;
}
