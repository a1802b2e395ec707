import { expect } from 'vitest';
import { z } from 'zod';
import { END_MILLIS, intakeClient } from './intake.ts';
import type { Stack } from './stack.ts';

const Batch = z.looseObject({
  id: z.string(),
  status: z.string(),
  counts: z.record(z.string(), z.number()),
  upload: z.object({ format: z.string(), offset: z.number() }).optional(),
  expiresAt: z.string(),
  links: z.looseObject({ self: z.string(), results: z.string() }),
});
export type Batch = z.infer<typeof Batch>;

const Uploaded = z.looseObject({
  accepted: z.number(),
  rejected: z.number(),
  offset: z.number(),
  errors: z.array(z.looseObject({ line: z.number(), customId: z.string().optional() })),
  warnings: z.array(z.string()),
});
export type Uploaded = z.infer<typeof Uploaded>;

export const readBatch = async (response: Response): Promise<Batch> =>
  Batch.parse(await response.json());

export const Line = z.record(z.string(), z.unknown());
export type Line = z.infer<typeof Line>;

/** Returns the line of a row whose image is uploaded with it. */
export const uploadedRow = (customId: string, image: Uint8Array): string =>
  `${JSON.stringify({ customId, imageBase64: Buffer.from(image).toString('base64') })}\n`;

/** Sends requests about batches with one key. */
export function batchClient(stack: Pick<Stack, 'url'>, key: string) {
  const { ask, quotaLeft } = intakeClient(stack, key);
  const post = (path: string, type: string, body: RequestInit['body'], headers = {}) =>
    ask('POST', path, {
      body: body ?? null,
      headers: { 'content-type': type, ...headers },
      duplex: 'half',
    } as RequestInit);
  const get = async (id: string): Promise<Batch> => readBatch(await ask('GET', `/batches/${id}`));

  return {
    ask,
    quotaLeft,
    get,
    create: (options: object = {}, headers = {}): Promise<Response> =>
      post('/batches', 'application/json', JSON.stringify(options), headers),
    open: async (options: object = {}): Promise<string> =>
      (await readBatch(await post('/batches', 'application/json', JSON.stringify(options)))).id,
    /** Sends rows; resolves with the response. */
    send: (
      id: string,
      body: RequestInit['body'],
      type = 'application/x-ndjson',
      { query = '', headers = {} } = {},
    ): Promise<Response> => post(`/batches/${id}/items${query}`, type, body, headers),
    /** Sends a form of files, each `[name, bytes]`. */
    sendFiles(id: string, files: readonly [name: string, bytes: Uint8Array][]): Promise<Response> {
      const form = new FormData();
      for (const [name, bytes] of files) form.append('f', new Blob([Uint8Array.from(bytes)]), name);
      return ask('POST', `/batches/${id}/items`, { body: form });
    },
    seal: (id: string, headers = {}) => ask('POST', `/batches/${id}/seal`, { headers }),
    cancel: (id: string) => ask('POST', `/batches/${id}/cancel`),
    erase: (id: string) => ask('DELETE', `/batches/${id}`),
    async lines(id: string, report: string): Promise<Line[]> {
      const response = await ask('GET', `/batches/${id}/${report}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/x-ndjson',
      ]);
      const text = await response.text();
      return text.split('\n').flatMap((line) => (line ? [Line.parse(JSON.parse(line))] : []));
    },
    /** Sends rows in a batch of their own, and waits until it is completed; returns its id. */
    async completed(rows: RequestInit['body'], options?: object): Promise<string> {
      const id = await this.open(options);
      await readUploaded(await this.send(id, rows));
      await this.seal(id);
      await this.until(id, 'completed');
      return id;
    },
    /** Waits until a batch has this status. */
    async until(id: string, status: string): Promise<Batch> {
      const now = async () => (await get(id)).status;
      await expect.poll(now, { timeout: END_MILLIS, interval: 50 }).toBe(status);
      return get(id);
    },
  };
}

export type BatchClient = ReturnType<typeof batchClient>;

export const readUploaded = async (response: Response): Promise<Uploaded> => {
  const body = await response.json();
  expect([response.status, body]).toEqual([200, expect.anything()]);
  return Uploaded.parse(body);
};

/** A row of NDJSON with an image URL. */
export const rowOf = (customId: string, more: object = {}): string =>
  `${JSON.stringify({ customId, imageUrl: `https://img.example/${customId}.jpg`, ...more })}\n`;
