/** The same on the client that orval generates for `fetch`: a cut-out, a classification and a batch. */
import { readFile } from 'node:fs/promises';
import {
  addBatchItems,
  classifyGarment,
  createBatch,
  getBatchEvents,
  getJob,
  removeBackground,
  removeBackgroundAsJson,
  sealBatch,
} from './orval/api.js';

const [, key = '', photo = ''] = process.argv.slice(2);
const bytes = await readFile(photo);
const headers = { authorization: `Bearer ${key}` };

/** Of a response that is not a success. */
const failed = ({ status, data }: { status: number; data: unknown }): Error =>
  new Error(`${status}: ${JSON.stringify(data)}`);

const cutout = await removeBackground({ image: new Blob([bytes]), crop: true }, undefined, {
  headers: { ...headers, 'X-Request-Id': 'first' },
});
if (cutout.status !== 200) throw failed(cutout);

const text = await removeBackgroundAsJson({ image_base64: bytes.toString('base64') }, { headers });
if (text.status !== 200) throw failed(text);

const classified = await classifyGarment(
  { attributes: { title: 'Blue denim jacket' } },
  { headers },
);
if (classified.status !== 200) throw failed(classified);
if (!('category' in classified.data)) throw new Error('this is no classification');

const opened = await createBatch({ operations: ['remove-background'] }, { headers });
if (!('id' in opened.data)) throw failed(opened);
const { id } = opened.data;
const row = JSON.stringify({ customId: 'shirt', imageBase64: bytes.toString('base64') });
const uploaded = await addBatchItems(id, `${row}\n`, undefined, {
  headers: { ...headers, 'content-type': 'application/x-ndjson' },
});
if (uploaded.status !== 200) throw failed(uploaded);
const sealed = await sealBatch(id, { headers });
if (sealed.status !== 200) throw failed(sealed);

const events = await getBatchEvents(id, { headers });
if (events.status !== 200) throw failed(events);
const [, last = '{}'] = /data: (.*)\s*$/.exec(events.data) ?? [];

const refused = await getJob('none', { headers });

console.log(
  JSON.stringify({
    requestId: cutout.headers.get('x-request-id'),
    mediaType: cutout.data.type,
    bytes: cutout.data.size,
    base64: text.data.image_base64.slice(0, 4),
    category: classified.data.category?.id,
    accepted: uploaded.data.accepted,
    status: JSON.parse(last).status,
    refused: 'type' in refused.data ? refused.data.type : undefined,
  }),
);
