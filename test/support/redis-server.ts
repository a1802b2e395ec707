import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Running, run } from './processes.ts';

/** A Redis of a test's own, which it may stop, kill and start again. */
export interface RedisServer {
  url: string;
  port: number;
  process(): Running;
  /** Ends the server; its append-only file stays. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again on the same port and data. */
  start(): Promise<void>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/** Starts `redis-server` from PATH, where the launcher of `npm test` put it, as production runs it. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'selvage-redis-'));
  let server: Running;
  const start = async () => {
    server = run('redis-server', [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir],
      ...['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
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
    async stop() {
      await end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
