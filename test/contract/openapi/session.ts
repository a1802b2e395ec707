import sharp from 'sharp';
import { z } from 'zod';
import type { Grant } from '../../../src/auth/key-record.ts';
import type { CreatedKey } from '../../../src/auth/keys.ts';
import { formWith } from '../../support/client.ts';
import type { FeedServer } from '../../support/feed-server.ts';
import { feedText, products } from '../../support/feeds.ts';
import { drawnShirt } from '../../support/images.ts';
import { createRecorder, type Exchange, type Recorder } from './recorder.ts';

/** What the session needs of a stack. */
interface Server {
  url: string;
  key(grant?: Partial<Grant>): Promise<CreatedKey>;
}

interface Session extends Recorder {
  shirt: Buffer;
  shop: FeedServer;
  /** A key without scopes for work, one without base64, one whose quota is used up; for metrics. */
  keys: Record<'full' | 'reader' | 'binary' | 'poor' | 'metrics', string>;
}

const LOOK = '/look/v1';
const INTAKE = '/intake/v1';

const memberOf = (schema: z.ZodType<string>, name: string, { body }: Exchange): string =>
  z.object({ [name]: schema }).parse(body)[name]!;
const idOf = (exchange: Exchange): string => memberOf(z.string(), 'id', exchange);
const runIdOf = ({ body }: Exchange): string =>
  z.object({ run: z.object({ id: z.string() }) }).parse(body).run.id;
const hasStatus =
  (...statuses: string[]) =>
  (body: unknown): boolean =>
    statuses.includes(z.looseObject({ status: z.string() }).safeParse(body).data?.status ?? '');

async function removals({ send, shirt, keys }: Session): Promise<void> {
  const path = '/bg/v1/background-removals';
  const image_base64 = shirt.toString('base64');
  await send('POST', `${path}?return_base64=true`, { body: { image_base64, crop: true } });
  await send('POST', path, { body: formWith({ image: shirt }) });
  await send('POST', path, {
    body: formWith({ image: shirt, format: 'webp' }),
    headers: { 'idempotency-key': 'removal-1', prefer: 'respond-async' },
  });
  await send('POST', path, { body: formWith({ quality: 'fast' }) });
  await send('POST', path, { body: formWith({ image: Buffer.from('no image') }) });
  await send('POST', path, { body: formWith({ image: shirt, scale: 'large' }) });
  await send('POST', path, { body: { image_base64 } });
  await send('POST', path, { body: 'words', type: 'text/plain' });
  await send('POST', path, { body: formWith({ image: shirt }), key: '' });
  await send('POST', path, { body: formWith({ image: shirt }), key: keys.reader });
  await send('POST', path, { body: formWith({ image: shirt }), key: keys.poor });
  await send('POST', `${path}?return_base64=true`, { body: { image_base64 }, key: keys.binary });
}

async function refinements({ send, shirt, keys }: Session): Promise<void> {
  const path = '/bg/v1/refinements';
  const alpha = await sharp({
    create: { width: 160, height: 200, channels: 3, background: '#000' },
  })
    .png()
    .toBuffer();
  const strokes = '[{"mode":"add","radius":12,"points":[[80,60],[84,130]]}]';
  const form = (changes: Record<string, string | Uint8Array> = {}) =>
    ({ body: formWith({ image: shirt, alpha, strokes, ...changes }) }) as const;
  await send('POST', path, form());
  await send('POST', path, form({ strokes: '[{"mode":"add","radius":12,"points":[[80,600]]}]' }));
  await send('POST', path, form({ alpha: shirt }));
  await send('POST', path, { ...form(), key: '' });
  await send('POST', path, { ...form(), key: keys.reader });
  await send('POST', path, { ...form(), key: keys.poor });
}

async function classifications({ send, shirt, keys }: Session): Promise<void> {
  const { headers } = await send('GET', '/taxonomy/v1/options?sections=patterns&locale=de');
  await send('GET', '/taxonomy/v1/options', { key: '' });
  await send('GET', '/taxonomy/v1/options?sections=patterns&locale=de', {
    headers: { 'if-none-match': headers.get('etag')! },
  });
  await send('GET', '/taxonomy/v1/options?sections=nothing');
  const path = '/taxonomy/v1/taxonomy';
  const attributes = {
    id: 'sku-1',
    title: 'Blue denim jacket for men',
    material: '98% cotton, 2% elastane',
    color: 'blue',
  };
  await send('POST', path, { body: { attributes, options: { topK: 1 } } });
  await send('POST', path, {
    body: { items: [{ id: 'a', attributes }, { id: 'b' }, { id: 'c', image_base64: '?' }] },
  });
  await send('POST', path, { body: formWith({ image: shirt }) });
  await send('POST', path, { body: { attributes, image_base64: shirt.toString('base64') } });
  await send('POST', path, {
    body: formWith({ image: shirt }),
    headers: { prefer: 'respond-async' },
  });
  await send('POST', path, { body: {} });
  await send('POST', path, { body: '{', type: 'application/json' });
  await send('POST', path, { body: { attributes }, key: 'slv_unknown' });
  await send('POST', path, { body: { attributes }, key: keys.reader });
}

async function separations({ send, shirt, keys }: Session): Promise<void> {
  const path = '/taxonomy/v1/garments';
  const image_base64 = shirt.toString('base64');
  await send('POST', path, { body: { image_base64, options: { topK: 1 } } });
  await send('POST', path, { body: formWith({ image: shirt, cutouts: 'true' }) });
  await send('POST', path, { body: {} });
  await send('POST', path, { body: formWith({ image: shirt, cutouts: 'maybe' }) });
  await send('POST', path, { body: formWith({ image: shirt }), key: '' });
  await send('POST', path, { body: formWith({ image: shirt }), key: keys.reader });
  await send('POST', path, { body: formWith({ image: shirt }), key: keys.poor });
}

/** Enough garments for outfits of a cool day. */
const WARDROBE = [
  { id: 'tee', category: 't_shirt', colors: [{ family: 'white' }] },
  { id: 'jumper', category: 'sweater', materials: [{ id: 'wool' }] },
  { id: 'jeans', category: 'jeans', colors: [{ hex: '#274472' }] },
  { id: 'boots', category: 'boots' },
  { id: 'coat', category: 'wool_coat', waterResistance: 0.6 },
];
const WEATHER = { tempC: 9, windMs: 4, humidityPct: 75, condition: 'Heavy rain' };

async function looks({ send, keys }: Session): Promise<void> {
  const { headers } = await send('GET', `${LOOK}/params`, { key: '' });
  await send('GET', `${LOOK}/params`, { headers: { 'if-none-match': headers.get('etag')! } });
  const meta = await send('GET', `${LOOK}/meta?locale=fr`);
  await send('GET', `${LOOK}/meta?locale=fr`, {
    headers: { 'if-none-match': meta.headers.get('etag')! },
  });
  await send('GET', `${LOOK}/meta?locale=nowhere-at-all`);
  await send('GET', `${LOOK}/meta`, { key: '' });
  await send('GET', `${LOOK}/meta`, { key: keys.full });
  const base = { weather: WEATHER, met: 1.6, userProfile: { thermalProfile: 'neutral' } };
  await send('POST', `${LOOK}/targets`, { body: base });
  const dressed = { ...base, items: WARDROBE };
  const found = await send('POST', `${LOOK}/candidates`, { body: { ...dressed, limit: 2 } });
  const { targets, candidates } = z
    .looseObject({ targets: z.looseObject({}), candidates: z.array(z.looseObject({})) })
    .parse(found.body);
  const score = { targets, candidates, items: WARDROBE };
  await send('POST', `${LOOK}/score`, { body: score });
  await send('POST', `${LOOK}/score`, { body: { ...score, targets: { ...targets, tempC: 1 } } });
  await send('POST', `${LOOK}/outfits`, { body: { ...dressed, limit: 1, plan: 'outdoor' } });
  await send('POST', `${LOOK}/day`, {
    body: { items: WARDROBE, hours: [{ at: '08:00', weather: WEATHER, met: 1.6 }] },
  });
  await send('POST', `${LOOK}/trip`, {
    body: {
      items: WARDROBE,
      maxItems: 8,
      days: [{ date: '2026-11-24', weather: WEATHER, met: 1.6, occasion: 'casual' }],
    },
  });
  await send('POST', `${LOOK}/calibrate`, {
    body: { feedback: [{ vote: -1, met: 1.6, indoorTempC: 21, worn: { icl: 0.7 } }] },
  });
  for (const name of ['targets', 'candidates', 'score', 'outfits', 'day', 'trip', 'calibrate']) {
    await send('POST', `${LOOK}/${name}`, { body: { weather: { ...WEATHER, tempC: 'cold' } } });
    await send('POST', `${LOOK}/${name}`, { body: base, key: keys.full });
  }
}

/** Returns the URL of an image that does not arrive. */
const slowImage = (shop: FeedServer): string =>
  shop.put('/hanging.jpg', (request) => request.resume());

async function jobRefinements({ send, until, shirt, keys }: Session): Promise<void> {
  const jobs = `${INTAKE}/jobs`;
  const self = `${jobs}/${idOf(await send('POST', jobs, { body: formWith({ image: shirt }) }))}`;
  const path = `${self}/refinements`;
  await until(self, hasStatus('succeeded'));
  const strokes = '[{"mode":"erase","radius":12,"points":[[80,60],[84,130]]}]';
  await send('POST', path, { body: formWith({ image: shirt, strokes }) });
  await send('POST', path, { body: formWith({ strokes }) });
  await send('POST', path, { body: formWith({ image: shirt, strokes: '[]' }) });
  await send('POST', path, { body: formWith({ image: shirt, strokes }), key: keys.poor });
  await send('DELETE', `${path}/1`);
  await send('DELETE', `${path}/1`);
  for (const key of ['', keys.reader]) {
    await send('POST', path, { body: formWith({ image: shirt, strokes }), key });
    await send('DELETE', `${path}/1`, { key });
  }
}

async function jobs({ send, until, shop, shirt, keys }: Session): Promise<void> {
  const path = `${INTAKE}/jobs`;
  const imageUrl = await shop.putImage('/job.jpg', 3);
  const created = await send('POST', path, {
    body: {
      imageUrl,
      operations: ['remove-background', 'classify'],
      options: { crop: true },
      retention: { outputSeconds: 3600 },
    },
    headers: { 'idempotency-key': 'job-1' },
  });
  await send('POST', path, { body: { imageUrl }, headers: { 'idempotency-key': 'job-1' } });
  const self = `${path}/${idOf(created)}`;
  await until(self, hasStatus('succeeded'));
  await send('GET', `${self}/result`);
  const link = await send('GET', `${self}/result?delivery=redirect`);
  await send('GET', `${self}/result?delivery=pigeon`);
  await files({ send }, link.headers.get('location')!);
  await send('POST', `${self}/cancel`);
  const separating = await send('POST', path, { body: { imageUrl, operations: ['separate'] } });
  await until(`${path}/${idOf(separating)}`, hasStatus('succeeded'));
  await send('GET', `${path}/${idOf(separating)}/garments/0`);
  await send('GET', `${path}/${idOf(separating)}/garments/99`);
  const hanging = await send('POST', path, { body: { imageUrl: slowImage(shop) } });
  await send('POST', `${path}/${idOf(hanging)}/cancel`);
  const failing = await send('POST', path, { body: { imageUrl: `${shop.origin}/none.jpg` } });
  await until(`${path}/${idOf(failing)}`, hasStatus('failed'));
  await send('GET', `${path}?limit=1`);
  await send('GET', `${path}?limit=0`);
  await send('GET', `${path}/${idOf(failing)}/result`);
  await send('POST', path, { body: formWith({ image: shirt, operations: 'classify' }) });
  await send('POST', path, { body: { imageUrl: 'nowhere' } });
  await send('POST', path, { body: { imageUrl }, key: keys.poor });
  await send('DELETE', self);
  await send('GET', `${self}/result`);
  for (const [method, of] of [
    ['GET', ''],
    ['GET', '/result'],
    ['GET', '/garments/0'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ]) {
    await send(method!, `${path}/none${of}`);
    await send(method!, `${path}/none${of}`, { key: '' });
  }
  await send('GET', `${INTAKE}/usage`);
  await send('GET', `${INTAKE}/usage`, { key: '' });
}

async function files({ send }: Pick<Session, 'send'>, link: string): Promise<void> {
  const { pathname, search } = new URL(link, 'http://localhost');
  const path = pathname + search;
  const { headers } = await send('GET', path, { key: '' });
  await send('GET', path, { key: '', headers: { 'if-none-match': headers.get('etag')! } });
  await send('GET', `${path}0`, { key: '' });
  await send('GET', `${INTAKE}/files/none`, { key: '' });
}

/** The review of a batch or run that has ended, and one that does not exist. */
async function review({ send }: Pick<Session, 'send'>, self: string, none: string): Promise<void> {
  const path = `${self}/review`;
  const body = { decision: 'approved', note: 'The collar is right', revision: 0 };
  await send('POST', `${path}/0`, { body });
  await send('POST', `${path}/0`, { body: { ...body, decision: 'rejected' } });
  await send('POST', `${path}/0`, { body: { decision: 'approved' } });
  await send('GET', `${path}?needed=false`);
  await send('GET', `${path}?limit=0`);
  await send('GET', `${path}/0`);
  await send('GET', `${path}/99`);
  await send('GET', `${path}/summary`);
  await send('GET', `${path}/0/photo`);
  await send('POST', path, { body: { decision: 'approved', minConfidence: 0.9 } });
  await send('POST', path, { body: { decision: 'rejected', minConfidence: 0.9 } });
  for (const of of ['', '/0', '/summary', '/0/photo']) {
    await send('GET', `${none}/review${of}`);
  }
  await send('POST', `${none}/review`, { body: { decision: 'approved', minConfidence: 1 } });
  await send('POST', `${none}/review/0`, { body });
}

/** The rows with the same picture of a batch or run that has ended, and of one that does not exist. */
async function duplicates(
  { send }: Pick<Session, 'send'>,
  self: string,
  none: string,
): Promise<void> {
  await send('GET', `${self}/duplicates`);
  await send('GET', `${self}/duplicates?limit=0`);
  await send('GET', `${none}/duplicates`);
}

/** Refinements of the first row of a batch or run that has ended. */
async function rowRefinements(
  { send, keys }: Pick<Session, 'send' | 'keys'>,
  self: string,
): Promise<void> {
  const path = `${self}/review/0/refinements`;
  const strokes = '[{"mode":"erase","radius":3,"points":[[20,20],[22,24]]}]';
  await send('POST', path, { body: formWith({ strokes }) });
  await send('POST', path, { body: formWith({ strokes, revision: '0' }) });
  await send('POST', path, { body: formWith({ strokes: '[]' }) });
  await send('POST', path, { body: formWith({ strokes }), key: keys.poor });
  await send('DELETE', `${path}/1`);
  await send('DELETE', `${path}/1`);
  await send('DELETE', `${path}/1?revision=x`);
  for (const key of ['', keys.reader]) {
    await send('POST', path, { body: formWith({ strokes }), key });
    await send('DELETE', `${path}/1`, { key });
  }
}

async function batches({ send, until, shop, keys }: Session): Promise<void> {
  const path = `${INTAKE}/batches`;
  const imageUrl = await shop.putImage('/batch.jpg', 4);
  const created = await send('POST', path, {
    body: { name: 'Spring', operations: ['remove-background', 'separate'] },
    headers: { 'idempotency-key': 'batch-1' },
  });
  const self = `${path}/${idOf(created)}`;
  const row = { customId: 'a', imageUrl };
  await send('POST', `${self}/items`, {
    body: `${JSON.stringify(row)}\n{"customId":"b"}\n${JSON.stringify({ ...row, customId: 'd' })}\n`,
    type: 'application/x-ndjson',
  });
  await send('POST', `${self}/items`, {
    body: `custom_id,image_url\nc,${shop.origin}/none.jpg\n`,
    type: 'text/csv',
  });
  await send('POST', `${self}/items`, { body: {}, type: 'application/json' });
  await send('POST', `${self}/seal`);
  await until(self, hasStatus('completed'));
  const events = await send('GET', `${self}/events`);
  const last = [...String(events.body).matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  await send('GET', `${self}/events`, { headers: { 'last-event-id': last } });
  for (const name of ['results', 'errors', 'manifest']) await send('GET', `${self}/${name}`);
  await send('GET', `${self}/results?after=-1`);
  await send('GET', `${self}/archive`);
  await send('GET', `${self}/rows/0/cutout`);
  await send('GET', `${self}/rows/99/cutout`);
  await send('GET', `${self}/rows/0/garments/0`);
  await send('GET', `${self}/rows/0/garments/99`);
  await review({ send }, self, `${path}/none`);
  await duplicates({ send }, self, `${path}/none`);
  await rowRefinements({ send, keys }, self);
  await send('GET', `${path}?limit=1`);
  await send('GET', `${path}?limit=0`);
  await send('POST', `${self}/items`, { body: 'x', type: 'text/csv' });
  await send('POST', `${self}/cancel`);
  await send('DELETE', self);
  await send('GET', `${self}/results`);
  await send('GET', `${self}/archive`);
  const other = await send('POST', path);
  await send('POST', `${path}/${idOf(other)}/seal`);
  const canceled = await send('POST', path, { body: {} });
  await send('GET', `${path}/${idOf(canceled)}/review`);
  await send('GET', `${path}/${idOf(canceled)}/duplicates`);
  await send('GET', `${path}/${idOf(canceled)}/results?export=approved`);
  await send('GET', `${path}/${idOf(canceled)}/archive?export=approved`);
  await send('POST', `${path}/${idOf(canceled)}/cancel`);
  await send('POST', path, { body: { operations: [] } });
  await send('POST', path, { body: {}, key: keys.reader });
  for (const of of [
    '',
    '/results',
    '/errors',
    '/manifest',
    '/archive',
    '/events',
    '/rows/0/cutout',
    '/rows/0/garments/0',
  ]) {
    await send('GET', `${path}/none${of}`);
  }
  for (const of of ['/seal', '/cancel', '/items']) {
    await send('POST', `${path}/none${of}`, of === '/items' ? { body: '', type: 'text/csv' } : {});
  }
  await send('DELETE', `${path}/none`);
}

async function access({ send }: Session): Promise<void> {
  const path = '/access/v1/requests';
  const contact = 'dev@shop.example';
  const form = { client: 'shop', contact, scopes: ['taxonomy:classify'], note: 'Our web shop' };
  const submit = () => send('POST', path, { body: form, key: '' });
  const submitted = await submit();
  const keyOf = async (exchange: Exchange) => {
    const secret = memberOf(z.string(), 'secret', exchange);
    return send('POST', `${path}/${idOf(exchange)}/key`, { body: { secret }, key: '' });
  };
  await keyOf(submitted);
  await send('GET', `${path}?status=pending`);
  await send('GET', path, { key: '' });
  await send('POST', `${path}/${idOf(submitted)}/approve`, { body: { quotaPerDay: 100 } });
  await send('POST', `${path}/${idOf(submitted)}/approve`);
  await keyOf(submitted);
  await keyOf(submitted);
  const other = await submit();
  await send('POST', `${path}/${idOf(other)}/approve`);
  await send('POST', `${path}/${idOf(other)}/deny`);
  await keyOf(other);
  await send('POST', `${path}/none/deny`);
  await send('POST', path, { body: { ...form, scopes: ['operations:read'] }, key: '' });
}

async function account({ send, until }: Session): Promise<void> {
  const keys = '/account/v1/keys';
  const body = { name: 'Checkout', scopes: ['taxonomy:classify'], quotaPerDay: 50 };
  const created = await send('POST', keys, { body });
  await send('POST', keys, { body: { ...body, quotaPerDay: 1e9 } });
  await send('POST', keys, { key: '' });
  await send('GET', keys);
  await send('GET', keys, { key: '' });
  const rotate = { body: { graceSeconds: 60 } };
  await send('POST', `${keys}/${idOf(created)}/rotate`, rotate);
  await send('POST', `${keys}/none/rotate`, rotate);
  await send('DELETE', `${keys}/${idOf(created)}`);
  await send('DELETE', `${keys}/none`);
  await send('GET', '/account/v1/usage?days=7');
  await send('GET', '/account/v1/usage?days=0');
  const log = `/account/v1/requests/${created.headers.get('x-request-id')}`;
  await until(log, (answer) => JSON.stringify(answer).includes('createKey'));
  await send('GET', log);
  await send('GET', '/account/v1/requests/none');
  const audit = '/account/v1/audit?limit=1';
  await until(audit, (answer) => JSON.stringify(answer).includes('entries":[{'));
  await send('GET', audit);
  await send('GET', '/account/v1/audit?before=x');
  await send('GET', audit, { key: '' });
}

async function presets({ send, keys }: Session): Promise<void> {
  const path = `${INTAKE}/presets`;
  const body = { options: { crop: true, cropMargin: '5%' }, export: 'approved' };
  await send('PUT', `${path}/shop-white`, { body });
  await send('PUT', `${path}/shop-white`, { body: { options: { colour: 'red' } } });
  await send('PUT', `${path}/Shop`, { body });
  await send('PUT', `${path}/shop-white`, { body, key: keys.reader });
  await send('GET', path);
  await send('GET', path, { key: '' });
  await send('GET', `${path}/shop-white`);
  await send('GET', `${path}/none`);
  await send('DELETE', `${path}/shop-white`);
  await send('DELETE', `${path}/shop-white`);
  await send('DELETE', `${path}/shop-white`, { key: keys.reader });
}

async function learnedCategories({ send, keys }: Session): Promise<void> {
  const path = `${INTAKE}/categories`;
  const body = { categories: [{ path: 'Damen > Oberteile', counts: { blouse: 12, shirt: 1 } }] };
  await send('PUT', path, { body });
  await send('PUT', path, { body: { categories: [{ path: 'Hemden', counts: { shrit: 3 } }] } });
  await send('PUT', path, { body, key: keys.reader });
  await send('GET', path);
  await send('GET', path, { key: '' });
  await send('DELETE', `${path}?path=${encodeURIComponent('Damen > Oberteile')}`);
  await send('DELETE', `${path}?path=${encodeURIComponent('Damen > Oberteile')}`);
  await send('DELETE', path, { key: keys.reader });
}

/** An object that the bucket of the source `shop` must deny. */
export const DENIED_OBJECT = 'incoming/denied.jpg';

async function sources({ send, until, keys }: Session): Promise<void> {
  const path = `${INTAKE}/sources`;
  const source = `${path}/shop`;
  const event = {
    Records: [{ s3: { bucket: { name: 'photos' }, object: { key: 'incoming/shirt.jpg' } } }],
  };
  await send('PUT', source, { body: { options: { backgroundColor: 'white' }, paused: true } });
  await send('PUT', source, { body: { options: { colour: 'red' } } });
  await send('PUT', source, { body: {}, key: keys.reader });
  await send('PUT', source, { body: {} });
  const isListed = z.looseObject({ listedAt: z.string() });
  await until(source, (body) => isListed.safeParse(body).success);
  await send('GET', source);
  await send('GET', path);
  await send('GET', path, { key: '' });
  await send('POST', `${source}/events`, { body: event });
  await send('POST', `${source}/events`, { body: {} });
  await send('POST', `${path}/folder/events`, { body: event });
  const denied = {
    Records: [{ s3: { bucket: { name: 'photos' }, object: { key: DENIED_OBJECT } } }],
  };
  await send('POST', `${source}/events`, { body: denied });
  const hasFailure = z.looseObject({ failures: z.array(z.unknown()).min(1) });
  await until(`${source}/failures`, (body) => hasFailure.safeParse(body).success);
  await send('GET', `${source}/failures`);
  await send('GET', `${path}/none/failures`);
  await send('POST', `${source}/scan`);
  for (const of of ['/scan', '/events']) await send('POST', `${path}/none${of}`, { body: event });
  await send('GET', `${path}/none`);
  await send('PUT', `${path}/none`, { body: {} });
}

/** A run that is held, since the feed has lost half of its products, and goes on. */
async function heldRun(
  { send, until }: Pick<Session, 'send' | 'until'>,
  feed: string,
  loseHalf: () => void,
): Promise<void> {
  loseHalf();
  const run = `${feed}/runs/${idOf(await send('POST', `${feed}/runs`))}`;
  await until(run, hasStatus('held'));
  await send('POST', `${run}/confirm`);
  await until(run, hasStatus('completed'));
  await send('POST', `${run}/confirm`);
}

/** What is recognised in a feed with a mistake, and in what is none. */
async function inspections({ send }: Pick<Session, 'send'>, path: string): Promise<void> {
  const inspect = `${path}/inspect`;
  const type = 'text/csv';
  const rows = [
    '1,Blue jacket,https://shop.example/1.jpg',
    '2,,nowhere',
    '3,Hat,https://shop.example/3.jpg,x',
  ];
  await send('POST', inspect, { body: ['id,title,image_link', ...rows, ''].join('\n'), type });
  await send('POST', inspect, {
    body: 'Dear shop,\nthe feed follows tomorrow.\n',
    type: 'text/plain',
  });
  await send('POST', `${inspect}?format=pdf`, { body: 'id,title\n', type });
  await send('POST', inspect, { body: 'id,title\n', type, key: '' });
}

async function feeds({ send, until, shop, keys }: Session): Promise<void> {
  const path = `${INTAKE}/feeds`;
  const image = await shop.putImage('/feed.jpg', 5);
  const body = feedText(
    'csv',
    products(2, () => [image]),
  );
  const url = shop.put('/feed.csv', { body, type: 'text/csv' });
  const created = await send('POST', path, {
    body: { url, export: { background: '#ffffff' }, schedule: '30 4 * * *' },
  });
  const feed = `${path}/${idOf(created)}`;
  const run = `${feed}/runs/${runIdOf(created)}`;
  await until(run, hasStatus('completed'));
  await send('GET', feed);
  const edit = { mapping: { preset: 'google' }, access: { userAgent: 'Shop/1', password: 'x' } };
  await send('PATCH', feed, { body: edit });
  await send('PATCH', feed, {
    body: { ...edit, access: { userAgent: 'Shop/1', username: 'feeds', password: 'secret' } },
  });
  await send('PATCH', `${path}/none`, { body: { format: 'csv' } });
  await send('GET', path);
  await send('GET', `${path}?limit=0`);
  await send('GET', `${run}/report`);
  await send('GET', `${run}/report?format=csv`);
  await send('GET', `${run}/report`, { headers: { accept: 'text/html' } });
  await send('GET', `${run}/report?format=pdf`);
  const { body: exported } = await send('GET', `${feed}/export`);
  await send('GET', `${run}/export`);
  const picture = /http[^",\s]*\/intake\/v1\/files\/[^",\s]+/.exec(String(exported))?.[0];
  if (picture) await files({ send }, picture);
  await send('GET', `${run}/events`);
  await review({ send }, run, `${path}/none/runs/none`);
  await duplicates({ send }, run, `${path}/none/runs/none`);
  await rowRefinements({ send, keys }, run);
  await send('POST', `${run}/cancel`);
  const again = await send('POST', `${feed}/runs`);
  await until(`${feed}/runs/${idOf(again)}`, hasStatus('completed'));
  await send('GET', `${feed}/runs`);
  await send('GET', `${feed}/runs?limit=0`);
  await heldRun({ send, until }, feed, () =>
    shop.put('/feed.csv', {
      body: feedText(
        'csv',
        products(1, () => [image]),
      ),
      type: 'text/csv',
    }),
  );
  const hanging = await send('POST', path, {
    body: {
      url: shop.put('/hanging.csv', {
        body: feedText(
          'csv',
          products(1, () => [slowImage(shop)]),
        ),
        type: 'text/csv',
      }),
    },
  });
  await send('POST', `${path}/${idOf(hanging)}/runs/${runIdOf(hanging)}/cancel`);
  await send('POST', `${path}?format=csv`, { body, type: 'text/csv' });
  await inspections({ send }, path);
  await send('POST', path, { body: { url: 'nowhere' } });
  await send('DELETE', feed);
  await send('GET', feed);
  for (const of of [
    '',
    '/export',
    '/runs/none',
    '/runs/none/export',
    '/runs/none/report',
    '/runs/none/events',
  ]) {
    await send('GET', `${path}/none${of}`);
  }
  await send('POST', `${path}/none/runs`);
  for (const of of ['cancel', 'confirm']) await send('POST', `${path}/none/runs/none/${of}`);
  await send('DELETE', `${path}/none`);
}

async function rulePacks({ send, keys }: Session): Promise<void> {
  const path = `${INTAKE}/rules`;
  const own = `${path}/our-shop`;
  const pack = { title: 'Our shop', rules: { aspect: { min: 0.75, max: 0.75 } } };
  await send('PUT', own, { body: pack });
  await send('PUT', own, { body: { ...pack, title: 'Another shop' } });
  await send('PUT', own, { body: { ...pack, rules: { aspect: { min: 2, max: 1 } } } });
  await send('PUT', `${path}/amazon-main`, { body: pack });
  await send('PUT', own, { body: pack, key: '' });
  await send('PUT', own, { body: pack, key: keys.reader });
  await send('GET', path);
  await send('GET', path, { key: '' });
  await send('GET', own);
  await send('GET', `${path}/none`);
  await send('DELETE', own);
  await send('DELETE', own);
  await send('DELETE', `${path}/amazon-main`);
}

async function webhooks({ send, until, shop }: Session): Promise<void> {
  const path = `${INTAKE}/webhooks`;
  const url = shop.put('/hook', (request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await send('POST', `${path}/secret`);
  await send('POST', `${path}/secret`, { key: '' });
  await send('GET', path, { key: '' });
  await send('GET', path);
  const imageUrl = await shop.putImage('/hook.jpg', 6);
  await send('POST', `${INTAKE}/jobs`, { body: { imageUrl, webhook: { url } } });
  const Deliveries = z.object({ deliveries: z.array(z.looseObject({ id: z.string() })) });
  const isDelivered = (body: unknown) => JSON.stringify(body).includes('"status":"delivered"');
  const { body } = await until(`${path}/deliveries`, isDelivered);
  const delivery = `${path}/deliveries/${Deliveries.parse(body).deliveries[0]!.id}`;
  await send('GET', delivery);
  await send('POST', `${path}/test`, { body: { url, type: 'batch.completed' } });
  await send('POST', `${path}/test`, { body: { url, type: 'party' } });
  await send('POST', `${delivery}/replay`);
  await send('POST', `${path}/enable`, { body: { url } });
  await send('POST', `${path}/enable`, { body: {} });
  await send('GET', `${path}/deliveries?status=lost`);
  await send('GET', `${path}/deliveries/none`);
  await send('POST', `${path}/deliveries/none/replay`);
}

async function removeBgClients({ send, shirt, shop, keys }: Session): Promise<void> {
  const path = '/compat/removebg/v1.0';
  const headers = { 'x-api-key': keys.full };
  const image_url = await shop.putImage('/compat.jpg', 7);
  await send('POST', `${path}/removebg`, {
    key: '',
    headers: { ...headers, accept: 'application/json' },
    body: { image_url, size: 'preview', format: 'png' },
  });
  await send('POST', `${path}/removebg`, {
    key: '',
    headers,
    body: formWith({ image_file: shirt }),
  });
  await send('POST', `${path}/removebg`, { key: '', headers, body: { size: 'none' } });
  await send('POST', `${path}/removebg`, { key: '', body: {} });
  await send('POST', `${path}/removebg`, { key: keys.poor, body: { image_url } });
  await send('GET', `${path}/account`, { key: '', headers });
  await send('GET', `${path}/account`, { key: '' });
}

async function otherClients({ send, shirt, shop, keys }: Session): Promise<void> {
  const image_url = await shop.putImage('/other.jpg', 8);
  const rembg = '/compat/rembg/api/remove';
  const withoutBg = '/compat/withoutbg/api/remove-background';
  await send('POST', rembg, { body: formWith({ file: shirt, om: 'true' }) });
  await send('POST', rembg, { body: formWith({ file: shirt, ab: '300' }) });
  await send('POST', rembg, { body: formWith({ file: Buffer.from('no image') }) });
  await send('GET', `${rembg}?url=${encodeURIComponent(image_url)}&bgc=255,0,0,255`);
  await send('GET', `${rembg}?url=${encodeURIComponent(`${image_url}.none`)}`);
  await send('GET', rembg);
  await send('POST', withoutBg, { body: formWith({ file: shirt, format: 'webp' }) });
  await send('POST', withoutBg, { body: formWith({ image_url }) });
  await send('POST', withoutBg, { body: formWith({ format: 'png' }) });
  for (const path of [rembg, withoutBg]) {
    for (const key of ['', keys.reader, keys.poor])
      await send('POST', path, { body: formWith({ file: shirt }), key });
  }
  await send('GET', rembg, { key: '' });
}

async function operations({ send, shop, keys }: Session): Promise<void> {
  const path = '/console/session';
  await send('GET', path, { key: '' });
  await send('POST', path, { key: '', body: { key: 'slv_wrong' } });
  const { headers } = await send('POST', path, { key: '', body: { key: keys.full } });
  const cookie = headers.get('set-cookie')!.split(';')[0]!;
  await send('GET', path, { key: '', headers: { cookie } });
  await send('GET', `${INTAKE}/usage`, { key: '', headers: { cookie } });
  await send('DELETE', path, { key: '', headers: { cookie, 'x-selvage-console': '1' } });
  const photos = '/console/photos';
  const imageUrl = await shop.putImage('/photo.jpg', 7);
  await send('POST', photos, { body: { imageUrl } });
  await send('POST', photos, { body: { imageUrl: `${imageUrl}.none` } });
  await send('POST', photos, { body: { imageUrl: 'ftp://shop.example/photo.jpg' } });
  for (const key of ['', keys.reader]) await send('POST', photos, { body: { imageUrl }, key });
  await send('GET', '/metrics', { key: keys.metrics });
  for (const at of ['/livez', '/readyz', '/metrics', '/problems', '/problems/gone', '/problems/no'])
    await send('GET', at, { key: '' });
}

/** Uses every endpoint with success and with errors, and returns what was answered and more of it. */
export async function recordSession(
  server: Server,
  shop: FeedServer,
  metrics: string,
): Promise<Recorder> {
  const [full, reader, binary, poor] = await Promise.all([
    server.key({ client: 'full' }),
    server.key({ client: 'reader', scopes: ['look-engine:read'] }),
    server.key({ client: 'binary', allowBase64: false }),
    server.key({ client: 'poor', quotaPerDay: 0 }),
  ]);
  const recorder = createRecorder(server.url, full.key);
  const session: Session = {
    ...recorder,
    shop,
    shirt: await drawnShirt({ width: 160, height: 200, format: 'jpeg' }),
    keys: { full: full.key, reader: reader.key, binary: binary.key, poor: poor.key, metrics },
  };
  const chapters = [
    removals,
    refinements,
    access,
    account,
    presets,
    learnedCategories,
    classifications,
    separations,
    looks,
    jobs,
    jobRefinements,
    batches,
    feeds,
    sources,
    rulePacks,
    webhooks,
    removeBgClients,
    otherClients,
    operations,
  ];
  for (const chapter of chapters) await chapter(session);
  return recorder;
}
