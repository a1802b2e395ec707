import { expect } from 'vitest';
import { z } from 'zod';
import { keyClient } from './client.ts';
import { END_MILLIS, intakeClient } from './intake.ts';
import type { Stack } from './stack.ts';

export const Run = z.looseObject({
  id: z.string(),
  feedId: z.string(),
  status: z.string(),
  counts: z.record(z.string(), z.number()),
  problem: z.looseObject({ type: z.string(), detail: z.string() }).optional(),
  links: z.record(z.string(), z.string()),
});
export type Run = z.infer<typeof Run>;

const Feed = z.looseObject({
  id: z.string(),
  run: Run,
  runs: z.array(z.string()),
  links: z.record(z.string(), z.string()),
});
export type Feed = z.infer<typeof Feed>;

export const readFeed = async (response: Response): Promise<Feed> =>
  Feed.parse(await response.json());
export const readRun = async (response: Response): Promise<Run> => Run.parse(await response.json());

/** Sends requests about feeds with one key. */
export function feedClient(stack: Pick<Stack, 'url'>, key: string) {
  const { ask, quotaLeft } = intakeClient(stack, key);
  const run = async (path: string): Promise<Run> => readRun(await ask('GET', path));
  const pathOf = ({ feedId, id }: Pick<Run, 'feedId' | 'id'>) => `/feeds/${feedId}/runs/${id}`;

  return {
    ask,
    quotaLeft,
    pathOf,
    postJson: (body: unknown, headers = {}): Promise<Response> =>
      keyClient(stack, key).postJson('/intake/v1/feeds', body, headers),
    /** Uploads a feed, to `/feeds` or to the runs of a feed. */
    send: (path: string, body: string, type = 'text/csv', headers = {}): Promise<Response> =>
      ask('POST', path, { body, headers: { 'content-type': type, ...headers } }),
    /** Waits until a run has this status. */
    async until(of: Pick<Run, 'feedId' | 'id'>, status: string): Promise<Run> {
      const path = pathOf(of);
      await expect
        .poll(async () => (await run(path)).status, { timeout: END_MILLIS, interval: 50 })
        .toBe(status);
      return run(path);
    },
    /** Hands in a feed, and waits until its run is completed. */
    async completed(body: unknown): Promise<{ feed: Feed; run: Run }> {
      const response = await this.postJson(body);
      expect(response.status).toBe(202);
      const feed = await readFeed(response);
      return { feed, run: await this.until(feed.run, 'completed') };
    },
    /** The lines of the report of a run. */
    async report(of: Pick<Run, 'feedId' | 'id'>) {
      const text = await (await ask('GET', `${pathOf(of)}/report`)).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    /** Runs a feed again and waits until the run ends, or until it has this status. */
    async runAgain(feedId: string, status = 'completed'): Promise<Run> {
      const response = await ask('POST', `/feeds/${feedId}/runs`);
      expect(response.status).toBe(202);
      return this.until(await readRun(response), status);
    },
  };
}

export type FeedClient = ReturnType<typeof feedClient>;
