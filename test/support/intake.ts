import { expect } from 'vitest';
import { z } from 'zod';
import { formWith, keyClient } from './client.ts';
import type { Stack } from './stack.ts';

export const Job = z.looseObject({
  id: z.string(),
  status: z.string(),
  expiresAt: z.string(),
  finishedAt: z.string().optional(),
  results: z.looseObject({ cutout: z.looseObject({ sha256: z.string() }).optional() }).optional(),
  problem: z.looseObject({ type: z.string(), detail: z.string() }).optional(),
  links: z.object({ self: z.string(), result: z.string(), cancel: z.string() }),
});
export type Job = z.infer<typeof Job>;

const Usage = z.object({ quota: z.object({ remaining: z.number() }) });

/** How long work may take to end, milliseconds: a busy machine takes minutes. Less than a test may take. */
export const END_MILLIS = 150_000;

export const readJob = async (response: Response): Promise<Job> => Job.parse(await response.json());

/** Sends requests about intake with one key. */
export function intakeClient(stack: Pick<Stack, 'url'>, key: string) {
  const client = keyClient(stack, key);
  const ask = (method: string, path: string, init?: RequestInit): Promise<Response> =>
    client.ask(method, `/intake/v1${path}`, init);
  const status = async (id: string): Promise<string> =>
    (await readJob(await ask('GET', `/jobs/${id}`))).status;
  const quotaLeft = async (): Promise<number> =>
    Usage.parse(await (await ask('GET', '/usage')).json()).quota.remaining;

  return {
    ask,
    quotaLeft,
    /** Sends an image as a form, with text fields. */
    post: (image: Uint8Array, fields: Record<string, string> = {}, headers = {}) =>
      ask('POST', '/jobs', { body: formWith({ image, ...fields }), headers }),
    postJson: (body: unknown, headers = {}): Promise<Response> =>
      client.postJson('/intake/v1/jobs', body, headers),
    get: async (id: string): Promise<Job> => readJob(await ask('GET', `/jobs/${id}`)),
    result: (id: string): Promise<Response> => ask('GET', `/jobs/${id}/result`),
    cancel: (id: string): Promise<Response> => ask('POST', `/jobs/${id}/cancel`),
    erase: (id: string): Promise<Response> => ask('DELETE', `/jobs/${id}`),
    status,
    /** Sends an image, and waits until its job has succeeded. */
    async done(image: Uint8Array, fields?: Record<string, string>): Promise<Job> {
      return this.until((await readJob(await this.post(image, fields))).id, 'succeeded');
    },
    /** Waits until a job has this status. */
    async until(id: string, wanted: string): Promise<Job> {
      await expect.poll(() => status(id), { timeout: END_MILLIS, interval: 50 }).toBe(wanted);
      return readJob(await ask('GET', `/jobs/${id}`));
    },
  };
}

export type IntakeClient = ReturnType<typeof intakeClient>;
