import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import { PRIORITY_UNIT, queueKeys } from './bullmq-internals.ts';
import type { QueueName } from './catalog.ts';

/** Whose turn a job takes. */
export interface TurnOwner {
  client: string;
  /** Turns for each turn of a client with weight 1; 1 to 16. */
  weight: number;
  /** Predicted work of the job, in turns; see `turnsOf`. 1 by default. */
  work?: number | undefined;
}

/** What a turn's work adds to the tag of a client with weight 1. One of weight 16 adds 1, the smallest step there is. */
const TURN = 16;
/** The highest priority that BullMQ accepts. */
const MAX_TAG = 2 ** 21 - 1;
/** All tags are lowered when the first waiting one has reached this. */
const LOWER_AT = 2 ** 20;

/** Counts the clients whose last turn has not come. KEYS: turns, prioritized. */
const WAITING_CLIENTS = `
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not first then return 0 end
local count = 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local isClient = string.sub(fields[i], 1, 7) == 'client:'
  if isClient and tonumber(fields[i + 1]) > math.floor(first / ${PRIORITY_UNIT}) - 1 then count = count + 1 end
end
return count
`;

/** What a job adds to its client's tag. */
const stepOf = ({ weight, work = 1 }: TurnOwner): number => (TURN * work) / weight;

/**
 * The turns of clients in one queue. A job with a lower tag starts first, so a client with many jobs, or with much work
 * in each, delays no other by more than its share.
 */
export function createTurns(redis: Redis, queue: QueueName) {
  const next = defineScript<number[]>(
    redis,
    'selvageTurns',
    readLua('turns-next', { TURN, LOWER_AT, MAX_TAG, PRIORITY_UNIT }),
  );
  const waitingClients = defineScript<number>(redis, 'selvageTurnClients', WAITING_CLIENTS);
  const { wait, prioritized, delayed, jobPrefix } = queueKeys(queue);
  const turns = `${PREFIX}:turns:${queue}`;
  const keys = [turns, wait, prioritized, delayed];
  return {
    /** Returns the tags of a client's next jobs, each from 1 to 2,097,151. */
    next: (owner: TurnOwner, count: number): Promise<number[]> =>
      next(keys, [owner.client, stepOf(owner), count, jobPrefix, 0]),
    /** Returns a new tag for a job that will be retried after a delay. */
    async nextForRetry(owner: TurnOwner): Promise<number> {
      const [tag = 1] = await next(keys, [owner.client, stepOf(owner), 1, jobPrefix, 1]);
      return tag;
    },
    /** Returns how many clients have jobs waiting; one that canceled its jobs may still count. */
    waitingClients: (): Promise<number> => waitingClients([turns, prioritized], []),
  };
}

export type Turns = ReturnType<typeof createTurns>;
