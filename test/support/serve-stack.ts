import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { listen } from './free-port.ts';
import type { Stack } from './stack.ts';

/** Where a file learns of the shared stack. */
declare module 'vitest' {
  export interface ProvidedContext {
    sharedStack: string;
  }
}

/** What the files that share a stack need: pictures and feeds from servers of their own. */
const SETTINGS = { FETCH_ALLOW: '127.0.0.0/8', PUBLIC_URL: '' };

/** Starts one stack when a file first asks for it, and stops it after the last. Called by Vitest. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Stack> | undefined;
  const server = createServer(async (_request, response) => {
    try {
      starting ??= import('./stack.ts').then(({ startStack }) =>
        startStack(SETTINGS, project.name === 's3' ? 's3' : 'fs'),
      );
      const { url, home, redis, settings } = await starting;
      response.end(JSON.stringify({ url, home, redisUrl: redis.url, settings }));
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
