/**
 * A program on the client that `openapi-typescript` generates from `/openapi.json`: it removes a
 * background, classifies a garment, and follows a batch. There is no cast in it.
 */
import { readFile } from 'node:fs/promises';
import { createParser } from 'eventsource-parser';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const [baseUrl = '', key = '', photo = ''] = process.argv.slice(2);
const bytes = await readFile(photo);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

function toForm(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value instanceof Blob ? value : String(value));
  }
  return form;
}

const cutout = await client.POST('/bg/v1/background-removals', {
  params: { header: { 'X-Request-Id': 'first' } },
  body: { image: new Blob([bytes]), crop: true },
  bodySerializer: toForm,
  parseAs: 'blob',
});
if (!cutout.data) throw new Error(`${cutout.error.type}: ${cutout.error.detail}`);

const classified = await client.POST('/taxonomy/v1/taxonomy', {
  body: { attributes: { title: 'Blue denim jacket', material: '100% cotton' } },
});
if (!classified.data) throw new Error(classified.error.detail);
if (!('category' in classified.data)) throw new Error('this is no classification');
const { category, wardrobeItem } = classified.data;

const targets = await client.POST('/look/v1/targets', {
  body: {
    weather: { tempC: 4, windMs: 3, humidityPct: 70, condition: 'Heavy rain' },
    met: 1.6,
  },
});
if (!targets.data) throw new Error(targets.error.detail);

const outfits = await client.POST('/look/v1/outfits', {
  body: {
    weather: { tempC: 18, windMs: 1, humidityPct: 50, condition: 'sunny' },
    met: 1.6,
    items: wardrobeItem ? [wardrobeItem] : [],
  },
});
if (!outfits.data) throw new Error(outfits.error.detail);

const opened = await client.POST('/intake/v1/batches', {
  params: { header: { 'Idempotency-Key': 'batch-1' } },
  body: { operations: ['remove-background'] },
});
if (!opened.data) throw new Error(opened.error.detail);
const path = { id: opened.data.id };

const row: components['schemas']['BatchItem'] = {
  customId: 'shirt',
  imageBase64: bytes.toString('base64'),
};
const uploaded = await client.POST('/intake/v1/batches/{id}/items', {
  params: { path },
  headers: { 'content-type': 'application/x-ndjson' },
  body: `${JSON.stringify(row)}\n`,
  bodySerializer: (lines) => lines,
});
if (!uploaded.data) throw new Error(uploaded.error.detail);
const sealed = await client.POST('/intake/v1/batches/{id}/seal', { params: { path } });
if (!sealed.data) throw new Error(sealed.error.detail);

const stream = await client.GET('/intake/v1/batches/{id}/events', {
  params: { path },
  parseAs: 'stream',
});
if (!stream.data) throw new Error(stream.error?.detail);
const events: components['schemas']['BatchEvent'][] = [];
const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) });
const decoder = new TextDecoder();
for await (const chunk of stream.data) parser.feed(decoder.decode(chunk, { stream: true }));

const refused = await client.GET('/intake/v1/jobs/{id}', { params: { path: { id: 'none' } } });

console.log(
  JSON.stringify({
    requestId: cutout.response.headers.get('x-request-id'),
    mediaType: cutout.data.type,
    bytes: cutout.data.size,
    category: category?.id,
    top: targets.data.targets.regionalTargets.top,
    outfits: outfits.data.outfits.length,
    accepted: uploaded.data.accepted,
    last: events.at(-1)?.counts.succeeded,
    status: events.at(-1)?.status,
    refused: refused.error?.type,
  }),
);
