import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { defineSwap } from '../platform/redis-script.ts';
import { parseDuration } from './limit-settings.ts';

/** No policy can retain anything longer than this, seconds. */
const MAX_SECONDS = 400 * 86_400;

const seconds = z.number().int().min(1).max(MAX_SECONDS).optional();

/** The longest time that inputs and results may be retained, by class. */
export const Retention = z.strictObject({
  /** Uploaded images: a job that has not started by then is not run. */
  inputSeconds: seconds,
  /** Cut-outs and other results, from the end of their job. */
  outputSeconds: seconds,
  /** Records of jobs whose results are gone: an audit trail without pixels. */
  recordSeconds: seconds,
  /** `none`: nothing is stored beyond the response; only synchronous requests are possible. */
  store: z.literal('none').optional(),
});
export type Retention = z.infer<typeof Retention>;

const CLASSES = {
  input: 'inputSeconds',
  output: 'outputSeconds',
  record: 'recordSeconds',
} as const satisfies Record<string, keyof Retention>;

const FORMAT = 'write a retention policy as input=10min,output=1h,record=1d (any of them), or none';

const isClass = (name: string): name is keyof typeof CLASSES => Object.hasOwn(CLASSES, name);

/** Parses `input=10min,output=1h,record=1d` or `none`. Throws an error that explains the format. */
export function parseRetention(text: string): Retention {
  if (text === 'none') return { store: 'none' };
  const policy: Retention = {};
  for (const part of text.split(',')) {
    const [name = '', duration = ''] = part.trim().split('=');
    if (!isClass(name)) {
      throw new Error(`"${part.trim()}" is not part of a retention policy: ${FORMAT}`);
    }
    policy[CLASSES[name]] = parseDuration(duration);
  }
  const checked = Retention.safeParse(policy);
  if (!checked.success) throw new Error(`Durations are 1s to 400d: ${FORMAT}`);
  return checked.data;
}

const CLIENTS = `${PREFIX}:client-retention`;

/** The policy of a client as JSON; null if it has none. */
interface PolicyCopy {
  client: string;
  policy: string | null;
}

/** Puts the policy of a client in force again that a Redis has lost. Returns whether it had lost it. */
export async function restorePolicy(
  redis: Redis,
  { client, policy }: PolicyCopy,
): Promise<boolean> {
  const known = await redis.hget(CLIENTS, client);
  return known !== policy && defineSwap(redis)(CLIENTS, client, known, policy);
}

/**
 * The retention policies of clients, in Redis. A policy covers all keys of its client.
 * @param copy called with what has been changed, before anyone is told
 */
export class ClientRetention {
  readonly #redis;
  readonly #copy;

  constructor(redis: Redis, copy: (changed: PolicyCopy) => Promise<void> = async () => {}) {
    this.#redis = redis;
    this.#copy = copy;
  }

  /** Returns the client's policy, `{}` if it has none. */
  readonly get = async (client: string): Promise<Retention> => {
    const json = await this.#redis.hget(CLIENTS, client);
    return json ? Retention.parse(JSON.parse(json)) : {};
  };

  async set(client: string, policy: Retention): Promise<void> {
    const json = JSON.stringify(policy);
    await this.#redis.hset(CLIENTS, client, json);
    await this.#copy({ client, policy: json });
  }

  /** Returns false if there was none. */
  async clear(client: string): Promise<boolean> {
    const cleared = await this.#redis.hdel(CLIENTS, client);
    await this.#copy({ client, policy: null });
    return cleared === 1;
  }

  async list(): Promise<{ client: string; policy: Retention }[]> {
    return Object.entries(await this.#redis.hgetall(CLIENTS))
      .map(([client, json]) => ({ client, policy: Retention.parse(JSON.parse(json)) }))
      .sort((a, b) => a.client.localeCompare(b.client));
  }
}
