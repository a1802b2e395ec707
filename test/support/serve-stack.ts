import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { freePort, listen } from './free-port.ts';
import type { Stack } from './stack.ts';

/** Where a file learns of the shared stack. */
declare module 'vitest' {
  export interface ProvidedContext {
    sharedStack: string;
  }
}

/**
 * What the files that share a stack need: pictures and feeds from servers of their own, and what those who ask for
 * nothing do not notice.
 */
const SETTINGS = {
  FETCH_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: '',
  ACCESS_REQUESTS: 'on',
  TRUST_PROXY: '127.0.0.0/8',
  CORS_ORIGINS: 'https://shop.example,http://localhost:5173',
};

/** Starts one stack when a file first asks where it is or what it logged, and stops it after the last. Called by Vitest. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workerPort = String(await freePort());
  const workerUrl = `http://127.0.0.1:${workerPort}`;
  let starting: Promise<Stack> | undefined;
  const server = createServer(async (request, response) => {
    try {
      starting ??= import('./stack.ts').then(({ startStack }) =>
        startStack({ ...SETTINGS, WORKER_PORT: workerPort }, project.name === 's3' ? 's3' : 'fs'),
      );
      const { url, home, redis, settings, logs } = await starting;
      if (request.url === '/logs') response.end(logs());
      else response.end(JSON.stringify({ url, home, workerUrl, redisUrl: redis.url, settings }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  project.provide('sharedStack', `http://127.0.0.1:${await listen(server)}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await (await starting?.catch(() => undefined))?.stop();
  };
}
