import type { Redis } from 'ioredis';
import { z } from 'zod';
import { parseDuration } from './limit-settings.ts';

/** Nothing is kept longer than this whatever anybody says; seconds. */
const MOST_SECONDS = 400 * 86_400;

const seconds = z.number().int().min(1).max(MOST_SECONDS).optional();

/** How long what is handed in and what is made of it may be kept at most, by class. */
export const Retention = z.strictObject({
  /** Images handed in: work on them that has not begun by then is not done. */
  inputSeconds: seconds,
  /** Cut-outs and other results, from the end of the work on them. */
  outputSeconds: seconds,
  /** What is known of work when its results are gone: an audit trail without pixels. */
  recordSeconds: seconds,
  /** `none`: nothing is kept beyond the answer, so that only the synchronous way is open. */
  store: z.literal('none').optional(),
});
export type Retention = z.infer<typeof Retention>;

const CLASSES = {
  input: 'inputSeconds',
  output: 'outputSeconds',
  record: 'recordSeconds',
} as const satisfies Record<string, keyof Retention>;

const FORM = 'write a retention policy as input=10min,output=1h,record=1d (any of them), or none';

const isClass = (name: string): name is keyof typeof CLASSES => Object.hasOwn(CLASSES, name);

/** Reads `input=10min,output=1h,record=1d` or `none`. Throws a sentence that says the form. */
export function parseRetention(text: string): Retention {
  if (text === 'none') return { store: 'none' };
  const policy: Retention = {};
  for (const part of text.split(',')) {
    const [name = '', duration = ''] = part.trim().split('=');
    if (!isClass(name)) throw new Error(`"${part.trim()}" is not part of it: ${FORM}`);
    policy[CLASSES[name]] = parseDuration(duration);
  }
  const checked = Retention.safeParse(policy);
  if (!checked.success) throw new Error(`Durations are 1s to 400d: ${FORM}`);
  return checked.data;
}

const CLIENTS = '{selvage}:client-retention';

/** Policies for all keys of a client. */
export function createClientRetention(redis: Redis) {
  return {
    async of(client: string): Promise<Retention> {
      const json = await redis.hget(CLIENTS, client);
      return json ? Retention.parse(JSON.parse(json)) : {};
    },
    async set(client: string, policy: Retention): Promise<void> {
      await redis.hset(CLIENTS, client, JSON.stringify(policy));
    },
    /** False where there was none. */
    clear: async (client: string): Promise<boolean> => (await redis.hdel(CLIENTS, client)) === 1,
    list: async (): Promise<{ client: string; policy: Retention }[]> =>
      Object.entries(await redis.hgetall(CLIENTS))
        .map(([client, json]) => ({ client, policy: Retention.parse(JSON.parse(json)) }))
        .sort((a, b) => a.client.localeCompare(b.client)),
  };
}

export type ClientRetention = ReturnType<typeof createClientRetention>;
