import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { openRegister, type Stack } from './stack.ts';

/** A stack that other files use too, at the same time. */
export interface SharedStack extends Pick<Stack, 'url' | 'home' | 'key'> {
  redis: { url: string };
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
  const { url, home, redisUrl } = (await response.json()) as Record<string, string>;
  if (!url || !home || !redisUrl) throw new Error('the shared stack has no address');
  const register = await openRegister(redisUrl, home);
  const file = randomUUID().slice(0, 8);
  return {
    url,
    home,
    redis: { url: redisUrl },
    key: ({ client = 'tests', ...grant } = {}) =>
      register.key({ ...grant, client: `${client}-${file}` }),
    stop: async () => register.close(),
  };
}
