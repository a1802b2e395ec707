import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, run } from './processes.ts';

/** `npm start`, in a home of its own and with its own Redis. */
export interface Launched {
  launcher: Running;
  url: string;
  key: string;
  /** The processes that run now. */
  pids(): Promise<{ launcher: number; gateway: number; worker: number; redis: number }>;
  /** Ends everything and removes the home. */
  stop(): Promise<void>;
}

/** Starts everything as users do, and resolves when it is ready. */
export async function startByLauncher(env: NodeJS.ProcessEnv = {}): Promise<Launched> {
  const home = await mkdtemp(join(tmpdir(), 'selvage-start-'));
  const launcher = run(process.execPath, ['infra/launcher/main.mjs', 'start', '--json'], {
    SELVAGE_HOME: home,
    SELVAGE_DEV_KEY: '',
    REDIS_URL: '',
    PORT: '0',
    ...env,
  });
  async function stop(): Promise<void> {
    await launcher.end();
    await rm(home, { recursive: true, force: true });
  }
  try {
    const started = JSON.parse(await launcher.line((line) => line.startsWith('{')));
    const { url, keyFile } = started;
    const instance = join(started.home, 'instance.json');
    const key = (await readFile(keyFile, 'utf8')).trim();
    return {
      launcher,
      url,
      key,
      pids: async () => JSON.parse(await readFile(instance, 'utf8')).pids,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
