import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { FeedServer } from '../../support/feed-server.ts';
import { freshPicture } from '../world.ts';
import { type Answer, ask, filesForm, json, jsonOf, type Question } from './ask.ts';

const POLL_MILLIS = 50;
/** Between two of its synchronous calls. */
const CALL_PAUSE_MILLIS = 500;
const MAX_RETRY_SECONDS = 30;

/** The honest client's synchronous calls. */
export interface Calls {
  served: number;
  notServed: number;
  /** Attempts that were rejected, and repeated as told. */
  retried: number;
  /** Attempts without a response, and work that did not end in time: nobody knows whether they count. */
  unanswered: number;
  slowestMillis: number;
}

const Created = z.looseObject({ id: z.string() });
const CreatedFeed = z.looseObject({ id: z.string(), run: Created });
const Status = z.looseObject({
  status: z.string(),
  counts: z.looseObject({ succeeded: z.number() }).optional(),
});
const Usage = z.looseObject({ quota: z.looseObject({ limit: z.number(), remaining: z.number() }) });

const TERMINAL = ['succeeded', 'completed', 'failed', 'canceled', 'expired'];
const GOOD = ['succeeded', 'completed'];

/** Returns after how long to try again. */
const retryMillis = ({ headers }: Answer): number =>
  1000 * Math.min(MAX_RETRY_SECONDS, Number(headers['retry-after'] ?? 1));

const NO_CALLS: Calls = { served: 0, notServed: 0, retried: 0, unanswered: 0, slowestMillis: 0 };

/** A client that obeys every `Retry-After`, with a key of its own. */
export function createHonest(url: string, key: string, shop: FeedServer) {
  let calls = { ...NO_CALLS };
  let units = 0;
  let number = 0;

  /** Sends a request until it is neither shed nor limited; resolves with the last response. */
  async function insist(path: string, question: Question, until: AbortSignal): Promise<Answer> {
    for (;;) {
      const answer = await ask(url + path, { ...question, key, signal: until });
      if (answer.status > 0 && answer.status < 500 && answer.status !== 429) return answer;
      calls[answer.status === 0 ? 'unanswered' : 'retried']++;
      await pause(retryMillis(answer), undefined, { signal: until }).catch(() => {});
      if (until.aborted) return answer;
    }
  }

  /** Requests one cut-out, and waits for it as long as `maxMillis`. */
  async function call(maxMillis: number): Promise<boolean> {
    const form = await filesForm([['image', await freshPicture(number++ % 12)]]);
    const startedAt = performance.now();
    const until = AbortSignal.timeout(maxMillis);
    const { status } = await insist('/bg/v1/background-removals', form, until);
    const isServed = status === 200;
    const millis = Math.round(performance.now() - startedAt);
    calls[isServed ? 'served' : 'notServed']++;
    calls.slowestMillis = Math.max(calls.slowestMillis, millis);
    if (isServed) units++;
    return isServed;
  }

  /** Creates something; resolves with its id, or undefined without one in time. */
  async function create(path: string, question: Question, until: AbortSignal) {
    const answer = await insist(path, question, until);
    return Created.safeParse(jsonOf(answer)).data?.id;
  }

  /** Puts a new picture on the shop's server. */
  const publish = async (): Promise<string> =>
    shop.put(`/${number++}.jpg`, { body: await freshPicture(number % 12), type: 'image/jpeg' });

  /** Waits until work has ended well, and returns whether it has. */
  async function isDone(path: string, until: AbortSignal): Promise<boolean> {
    while (!until.aborted) {
      const answer = await ask(url + path, { key, signal: until });
      const { status = '', counts } = Status.safeParse(jsonOf(answer)).data ?? {};
      if (TERMINAL.includes(status)) return GOOD.includes(status) && counts?.succeeded !== 0;
      await pause(POLL_MILLIS);
    }
    return false;
  }

  /** Measures how long work takes; if it fails or does not end in time, that limit. */
  async function time(
    maxMillis: number,
    work: (until: AbortSignal) => Promise<boolean>,
  ): Promise<number> {
    const startedAt = performance.now();
    const isMade = await work(AbortSignal.timeout(maxMillis));
    if (isMade) units++;
    else calls.unanswered++;
    return isMade ? Math.round(performance.now() - startedAt) : maxMillis;
  }

  return {
    call,
    /** Calls one after the other until the signal. */
    async callUntil(over: AbortSignal, maxMillis: number): Promise<void> {
      while (!over.aborted) {
        await call(maxMillis);
        await pause(CALL_PAUSE_MILLIS, undefined, { signal: over }).catch(() => {});
      }
    },
    /** Waits until more calls were served, or for `maxMillis`. */
    async untilServed(more: number, maxMillis: number): Promise<void> {
      const until = performance.now() + maxMillis;
      const enough = calls.served + more;
      while (calls.served < enough && performance.now() < until) await pause(POLL_MILLIS);
    },
    /** Returns the calls since the last time. */
    takeCalls(): Calls {
      const taken = calls;
      calls = { ...NO_CALLS };
      return taken;
    },
    /** Units that succeeded: what the quota may have lost. */
    units: () => units,
    async quotaUsed(): Promise<number> {
      const answer = await insist('/intake/v1/usage', {}, AbortSignal.timeout(20_000));
      const { quota } = Usage.parse(jsonOf(answer));
      return quota.limit - quota.remaining;
    },
    /** Signs in to the console once, from a local address; resolves with the status. */
    async signIn(from: string): Promise<number> {
      const { status } = await ask(`${url}/console/session`, { ...json({ key }), from });
      return status;
    },
    /** Measures a job with an uploaded image, milliseconds. */
    job: (maxMillis: number): Promise<number> =>
      time(maxMillis, async (until) => {
        const form = await filesForm([['image', await freshPicture(number++ % 12)]]);
        const id = await create('/intake/v1/jobs', form, until);
        return id !== undefined && isDone(`/intake/v1/jobs/${id}`, until);
      }),
    /** Measures a job with an image by URL, milliseconds. */
    linkedJob: (maxMillis: number): Promise<number> =>
      time(maxMillis, async (until) => {
        const imageUrl = await publish();
        const id = await create('/intake/v1/jobs', json({ imageUrl }), until);
        return id !== undefined && isDone(`/intake/v1/jobs/${id}`, until);
      }),
    /** Measures a batch of one row with an image by URL, milliseconds. */
    row: (maxMillis: number): Promise<number> =>
      time(maxMillis, async (until) => {
        const imageUrl = await publish();
        const id = await create('/intake/v1/batches', json({}), until);
        const path = `/intake/v1/batches/${id}`;
        const rows = {
          method: 'POST',
          headers: { 'content-type': 'application/x-ndjson' },
          body: `${JSON.stringify({ customId: 'one', imageUrl })}\n`,
        };
        await insist(`${path}/items`, rows, until);
        await insist(`${path}/seal`, { method: 'POST' }, until);
        return isDone(path, until);
      }),
    /** Measures the first run of a feed with one product, milliseconds. */
    feed: (maxMillis: number): Promise<number> =>
      time(maxMillis, async (until) => {
        const body = `id,title,image_link\n1,Shirt,${await publish()}\n`;
        const url = shop.put(`/${number}.csv`, { body, type: 'text/csv' });
        const answer = await insist('/intake/v1/feeds', json({ url }), until);
        const feed = CreatedFeed.safeParse(jsonOf(answer)).data;
        return (
          feed !== undefined && isDone(`/intake/v1/feeds/${feed.id}/runs/${feed.run.id}`, until)
        );
      }),
  };
}

export type Honest = ReturnType<typeof createHonest>;
