import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type Running, run } from './processes.ts';

/** A private Redis that a test may stop, kill and start again. */
export interface RedisServer {
  url: string;
  port: number;
  process(): Running;
  /** Ends the server; its append-only file remains. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again on the same port and data. */
  start(): Promise<void>;
  /** Returns how far its append-only file has come. */
  mark(): Promise<AofMark>;
  /** Loses what was written since a mark, as a power cut loses what is not on disk yet, and starts again. */
  powerCut(mark: AofMark): Promise<void>;
  /** Runs a command as an operator does, on a connection of its own. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/** A place in an append-only file. */
export interface AofMark {
  file: string;
  bytes: number;
}

/** Returns the place where Redis writes next: in the newest of its incremental files. */
async function endOfAof(dir: string): Promise<AofMark> {
  const folder = join(dir, 'appendonlydir');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'));
  const [newest = ''] = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const file = join(folder, newest);
  return { file, bytes: (await stat(file)).size };
}

/** Returns the name of the program, Redis or Valkey. */
export function redisProgram(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['redis-server', 'valkey-server'].find((name) =>
    folders.some((folder) => existsSync(join(folder, name))),
  );
  if (found) return found;
  throw new Error('These tests kill and restart a Redis of their own: install redis-server');
}

/**
 * Starts Redis from PATH, which the launcher of `npm test` sets, with the settings of production.
 * @param more further settings, such as `--replicaof`
 */
export async function startRedis(...more: readonly string[]): Promise<RedisServer> {
  const program = redisProgram();
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'selvage-redis-'));
  const passwordAt = more.indexOf('--requirepass');
  const access = passwordAt < 0 ? {} : { password: more[passwordAt + 1] ?? '' };
  let server: Running;
  const start = async () => {
    server = run(program, [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir],
      ...['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
      // Else a primary waits five seconds for further replicas before it sends the first one its data.
      ...['--repl-diskless-sync-delay', '0'],
      ...more,
    ]);
    await server.line((line) => line.includes('Ready to accept connections'));
  };
  const end = async (signal?: NodeJS.Signals) => void (await server.end(signal));
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    process: () => server,
    end,
    start,
    mark: () => endOfAof(dir),
    async powerCut({ file, bytes }) {
      await end('SIGKILL');
      const { file: newest } = await endOfAof(dir);
      if (newest !== file) throw new Error('Redis has rewritten its append-only file since');
      await truncate(file, bytes);
      await start();
    },
    async command(name, ...args) {
      const redis = new Redis(port, { ...access, lazyConnect: true, enableReadyCheck: false });
      try {
        return await redis.call(name, ...args);
      } finally {
        redis.disconnect();
      }
    },
    async stop() {
      // A replica that writes its first append-only file ignores SIGTERM; the child that writes it may outlive it.
      await end('SIGKILL');
      await rm(dir, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
