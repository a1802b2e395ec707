import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { type Client, createClient } from '../../packages/client/src/client.ts';
import { StartError } from '../launcher/start-error.mjs';
import { type Engine, mustRun } from './engine.ts';
import { imageName } from './service-images.ts';

const PROJECT = 'selvage-images-check';
/** The services of the default profile that keep running. */
export const RUNNING = ['redis', 's3', 'worker', 'gateway'] as const;
export type Running = (typeof RUNNING)[number];
const POLL_MILLIS = 250;
const HEALTHY_MILLIS = 300_000;
const RESPONSE_MILLIS = 5000;
const MAX_ENDS = 3;
/** Calls outlast the time that a part is away. */
const CALLS = {
  attemptTimeoutMillis: 30_000,
  timeoutMillis: 240_000,
  retry: { maxAttempts: 60, baseMillis: 250, maxDelayMillis: 1000 },
} as const;

/** The services of docker-compose.yml, run from images that were built before. */
export interface Stack {
  /** Starts what does not run from these images, and resolves once all parts are healthy. */
  up(): Promise<void>;
  /** Resolves once `/readyz` says so. */
  untilReady(): Promise<void>;
  kill(service: Running): Promise<void>;
  start(service: Running): Promise<void>;
  /** Creates a key as docs say, and returns a client with it. */
  client(): Promise<Client>;
  logs(): Promise<string>;
  /** Removes containers, networks and volumes. */
  down(): Promise<void>;
}

export interface StackOptions {
  engine: Engine;
  /** A folder with a docker-compose.yml. */
  sources: string;
  /** Of the images; see `imageName`. */
  version: string;
  port: number;
  /** A folder for the file that names the images. */
  scratch: string;
}

/** Two stacks share containers and volumes, so that one can take the place of the other. */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { engine, sources, version, port, scratch } = options;
  const images = join(scratch, `images-${version}.yml`);
  const services = (['gateway', 'worker'] as const).map((service) => [
    service,
    { image: imageName(service, version) },
  ]);
  await writeFile(images, stringify({ services: Object.fromEntries(services) }));
  const files = ['--file', join(sources, 'docker-compose.yml'), '--file', images];
  const env = { ...process.env, PORT: String(port), PUBLISH_HOST: '127.0.0.1' };
  const compose = (...args: string[]) =>
    mustRun([...engine.compose, '--project-name', PROJECT, ...files, ...args], {
      cwd: sources,
      env,
    });
  const baseUrl = `http://127.0.0.1:${port}`;

  async function isHealthy(service: Running): Promise<boolean> {
    const id = (await compose('ps', '--quiet', service)).split('\n').at(-1) ?? '';
    const format = '{{.State.Health.Status}} {{.RestartCount}}';
    const [health, ends] = (await engine.docker('inspect', '--format', format, id)).split(' ');
    if (Number(ends) > MAX_ENDS) throw new StartError(`${service} ends again and again.`);
    return health === 'healthy';
  }

  return {
    async up() {
      await compose('up', '--detach', '--no-build');
      await until(`${RUNNING.join(', ')} are healthy`, async () => {
        const healthy = await Promise.all(RUNNING.map(isHealthy));
        return !healthy.includes(false);
      });
    },
    untilReady: () =>
      until('the gateway is ready', async () => {
        const signal = AbortSignal.timeout(RESPONSE_MILLIS);
        const response = await fetch(`${baseUrl}/readyz`, { signal }).catch(() => undefined);
        return response?.ok === true;
      }),
    kill: async (service) => void (await compose('kill', service)),
    start: async (service) => void (await compose('start', service)),
    async client() {
      // biome-ignore format: an option and its value belong on one line
      const printed = await compose(
        'exec', '-T', 'gateway', 'node', 'dist/src/cli/main.js', 'keys', 'create', '--json',
        '--client', 'check', '--scopes', 'background-removal:process', '--rate', '1000/min',
      );
      const { key } = JSON.parse(printed.slice(printed.indexOf('{')));
      return createClient({ baseUrl, key, ...CALLS });
    },
    logs: () => compose('logs', '--no-color', '--tail', '30', 'gateway', 'worker'),
    down: async () => void (await compose('down', '--volumes', '--timeout', '1')),
  };
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HEALTHY_MILLIS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new StartError(`After ${HEALTHY_MILLIS / 1000} s it is not true that ${what}.`);
    }
    await delay(POLL_MILLIS);
  }
}
