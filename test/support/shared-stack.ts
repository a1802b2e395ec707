import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { z } from 'zod';
import { openRegister, type Stack } from './stack.ts';
import { storedKeys } from './test-store.ts';

/** What the server of the stack tells about it. */
const Served = z.object({
  url: z.string(),
  home: z.string(),
  workerUrl: z.string(),
  redisUrl: z.string(),
  settings: z.record(z.string(), z.string()),
});

/** A stack that other files use too, at the same time. */
export interface SharedStack extends Pick<Stack, 'url' | 'home' | 'settings' | 'key' | 'stored'> {
  redis: { url: string };
  /** Where the worker tells its health and its figures. */
  workerUrl: string;
  /** Everything gateway and worker logged, for whichever file. */
  logs(): Promise<string>;
  /** Ends the use of it. */
  stop(): Promise<void>;
}

/**
 * For files that need default settings and touch nothing but what belongs to their clients: they leave processes
 * alone, and count nothing that belongs to all. The clients of its keys are the file's own, whatever their names.
 */
export async function shareStack(): Promise<SharedStack> {
  const response = await fetch(inject('sharedStack'));
  if (!response.ok) throw new Error(await response.text());
  const { url, home, workerUrl, redisUrl, settings } = Served.parse(await response.json());
  const register = await openRegister(redisUrl, home);
  const file = randomUUID().slice(0, 8);
  return {
    url,
    home,
    workerUrl,
    settings,
    redis: { url: redisUrl },
    logs: async () => (await fetch(`${inject('sharedStack')}/logs`)).text(),
    stored: (...words) => storedKeys({ home, settings }, ...words),
    key: ({ client = 'tests', ...grant } = {}) =>
      register.key({ ...grant, client: `${client}-${file}` }),
    stop: async () => register.close(),
  };
}
