/** The same on the client that hey-api generates: a cut-out, a classification, a batch and its events. */
import { readFile } from 'node:fs/promises';
import { client } from './hey-api/client.gen.js';
import {
  addBatchItems,
  classifyGarment,
  createBatch,
  getBatchEvents,
  getJob,
  removeBackground,
  removeBackgroundAsJson,
  sealBatch,
} from './hey-api/sdk.gen.js';

const [baseUrl = '', key = '', photo = ''] = process.argv.slice(2);
const bytes = await readFile(photo);
client.setConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? key : undefined) });
const ok = { throwOnError: true } as const;

const cutout = await removeBackground({
  ...ok,
  body: { image: new Blob([bytes]), crop: true },
  headers: { 'X-Request-Id': 'first' },
});
const image: Blob | File = cutout.data instanceof Blob ? cutout.data : new Blob();

const text = await removeBackgroundAsJson({
  ...ok,
  body: { image_base64: bytes.toString('base64') },
});
if (!('image_base64' in text.data)) throw new Error('this is a job');

const classified = await classifyGarment({
  ...ok,
  body: { attributes: { title: 'Blue denim jacket' } },
});
if (!('category' in classified.data)) throw new Error('this is no classification');

const opened = await createBatch({ ...ok, body: { operations: ['remove-background'] } });
const path = { id: opened.data.id };
const row = JSON.stringify({ customId: 'shirt', imageBase64: bytes.toString('base64') });
const lines = { body: `${row}\n`, bodySerializer: null };
const uploaded = await addBatchItems({ ...ok, path, ...lines });
await sealBatch({ ...ok, path });

let last: { status?: string } = {};
const { stream } = await getBatchEvents({ path });
for await (const event of stream) last = typeof event === 'string' ? JSON.parse(event) : event;

const refused = await getJob({ path: { id: 'none' } });

console.log(
  JSON.stringify({
    requestId: cutout.response.headers.get('x-request-id'),
    mediaType: image.type,
    bytes: image.size,
    base64: text.data.image_base64.slice(0, 4),
    category: classified.data.category?.id,
    accepted: uploaded.data.accepted,
    status: last.status,
    refused: refused.error?.type,
  }),
);
