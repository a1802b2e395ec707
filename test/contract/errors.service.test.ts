import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CLOSET } from '../look/closet.ts';
import { formOf, formWith, postForm } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { postCompatForm } from '../support/remove-bg.ts';
import { ROOT } from '../support/root.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, key, ask, postJson: send } = await useSharedStack();
const shirt = await drawnShirt({ width: 200, height: 200, format: 'jpeg' });

const Problem = z.looseObject({
  type: z.string(),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

const problemOf = async (response: Response) => Problem.parse(await response.json());
const errorsOf = async (response: Response) => (await problemOf(response)).errors;

describe('one form of pointer', () => {
  test('a form field and a member of a body are named alike', async () => {
    const none = await postForm(stack, new FormData(), { key });
    expect(await errorsOf(none)).toEqual([{ pointer: '/image', detail: 'is missing' }]);
    const path = '/bg/v1/background-removals?return_base64=true';
    const expected = [{ pointer: '/image_base64', detail: 'is missing' }];
    expect(await errorsOf(await send(path, {}))).toEqual(expected);
    const expectedErrors = [{ pointer: '/image_base64', detail: 'must be a string' }];
    expect(await errorsOf(await send(path, { image_base64: 5 }))).toEqual(expectedErrors);
  });

  test.each([
    ['/taxonomy/v1/options?locale=xx', '?locale'],
    ['/taxonomy/v1/options?sections=hats,profile', '?sections'],
    ['/look/v1/meta?locale=xx', '?locale'],
    ['/intake/v1/batches?limit=many', '?limit'],
    ['/intake/v1/webhooks/deliveries?status=lost', '?status'],
  ])('%s blames %s', async (path, pointer) => {
    const response = await ask('GET', path);
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ pointer }]);
  });
});

describe('a field that is to blame is named', () => {
  const HELLO = Buffer.from('hello');
  const named = (file: string): [string, Buffer, string] => ['image', shirt, file];
  const onGround = (backgroundImage: Buffer) => formWith({ image: shirt, backgroundImage });
  test.each<[what: string, form: () => FormData, status: number, pointer: string]>([
    ['an empty image', () => formWith({ image: Buffer.from('') }), 400, '/image'],
    ['two images', () => formOf(named('a.jpg'), named('b.jpg')), 400, '/image'],
    ['an image that is text', () => formWith({ image: 'hello' }), 415, '/image'],
    ['a file of another name', () => formWith({ photo: shirt }), 400, '/photo'],
    ['no image in the bytes', () => formWith({ image: HELLO }), 415, '/image'],
    ['a damaged image', () => formWith({ image: shirt.subarray(0, -600) }), 400, '/image'],
    ['a background that is none', () => onGround(HELLO), 415, '/backgroundImage'],
  ])('%s', async (_, form, status, pointer) => {
    const response = await postForm(stack, form(), { key });
    expect(response.status).toBe(status);
    expect(await errorsOf(response)).toMatchObject([{ pointer }]);
  });

  test('in a job and in a classification', async () => {
    const text = Buffer.from('hello').toString('base64');
    expect(await errorsOf(await send('/intake/v1/jobs', { imageBase64: text }))).toMatchObject([
      { pointer: '/imageBase64' },
    ]);
    const classified = await send('/taxonomy/v1/taxonomy', { image_base64: text });
    expect(await errorsOf(classified)).toMatchObject([{ pointer: '/image_base64' }]);
  });
});

describe('what is wrong, and what to do, is said', () => {
  const REMOVAL = '/bg/v1/background-removals';
  const ofType = (type: string, body: string) => ({ headers: { 'content-type': type }, body });
  const SLIPPED = ofType(
    'multipart/form-data; boundary=z',
    '--abc\r\nContent-Disposition: form-data; name="image"\r\n\r\nx\r\n--abc--\r\n',
  );
  const URLENCODED = ofType('application/x-www-form-urlencoded', 'image=a');
  const inJson = (body: string) => ofType('application/json', body);
  const TARGETS = '/look/v1/targets';

  test.each<
    [what: string, method: string, path: string, status: number, says: string, RequestInit?]
  >([
    ['another version', 'POST', '/bg/v2/background-removals', 404, `is ${REMOVAL} meant?`],
    ['no version, in capitals', 'POST', '/BG/background-removals', 404, `is ${REMOVAL} meant?`],
    ['two slashes', 'GET', '//intake/v1/jobs', 404, 'is /intake/v1/jobs meant?'],
    ['an address that is no other', 'GET', '/nowhere', 404, 'see /docs'],
    ['a parameter twice', 'GET', '/taxonomy/v1/options?locale=de&locale=fr', 400, 'is sent twice'],
    ['another boundary', 'POST', REMOVAL, 400, 'leave the header out', SLIPPED],
    ['a form of curl -d', 'POST', REMOVAL, 415, 'curl -F image=@photo.jpg', URLENCODED],
    ['JSON that ends early', 'POST', TARGETS, 400, 'it ends early', inJson('{"weather":')],
    ['single quotes', 'POST', TARGETS, 400, 'line 1, character 2', inJson("{'met': 2}")],
  ])('%s: %s %s', async (_, method, path, status, says, init = {}) => {
    const response = await ask(method, path, init);
    expect(response.status).toBe(status);
    expect((await problemOf(response)).detail).toContain(says);
  });

  test('a request without a key, where clients of remove.bg send it', async () => {
    const response = await fetch(`${stack.url}/compat/removebg/v1.0/account`);
    const expected = [403, expect.stringContaining('x-api-key: <API_KEY>')];
    expect([response.status, await response.text()]).toEqual(expected);
  });

  test('JSON where lines are meant', async () => {
    const { id } = z
      .object({ id: z.string() })
      .parse(await (await send('/intake/v1/batches', {})).json());
    const response = await send(`/intake/v1/batches/${id}/items`, [{ customId: 'a' }]);
    expect(response.status).toBe(415);
    expect((await problemOf(response)).detail).toContain('one a line, are application/x-ndjson');
  });
});

describe('unknown fields are rejected by every endpoint that takes a body', () => {
  test('in a form of a removal', async () => {
    const form = formWith({ image: shirt, backgroundColour: 'white' });
    const response = await postForm(stack, form, { key });
    expect(response.status).toBe(400);
    const expected = [{ pointer: '/backgroundColour', detail: 'is not known here' }];
    expect(await errorsOf(response)).toEqual(expected);
  });

  test('in a form of a classification, and not because it is no JSON', async () => {
    const body = formWith({ image: shirt, colour: 'blue' });
    const response = await ask('POST', '/taxonomy/v1/taxonomy', { body });
    expect(await errorsOf(response)).toEqual([{ pointer: '/colour', detail: 'is not known here' }]);
  });

  const PATHS = ['/bg/v1/background-removals?return_base64=true', '/intake/v1/jobs'];
  test.each(PATHS)('in JSON of %s', async (path) => {
    const image = shirt.toString('base64');
    const member = path.startsWith('/bg') ? 'image_base64' : 'imageBase64';
    const expected = [{ pointer: '/colour', detail: 'is not known here' }];
    expect(await errorsOf(await send(path, { [member]: image, colour: 'blue' }))).toEqual(expected);
  });
});

const weather = { tempC: 8, windMs: 5, humidityPct: 80, condition: 'rain' };
const items = CLOSET.slice(0, 6).map((item) => ({ ...item }));
const dressed = { weather, met: 2, occasion: 'work', items, must: [items[0]!.id], limit: 2 };
const OUTFIT = ['tee-white', 'jeans-blue', 'sneakers'];
const worn = { items: CLOSET.filter(({ id }) => OUTFIT.includes(id)) };

/** Valid bodies: each is sent with one member changed. */
const BODIES: Readonly<Record<string, object>> = {
  '/look/v1/targets': { weather, met: 2, userProfile: { offsetC: 1 }, indoorTempC: 20 },
  '/look/v1/candidates': dressed,
  '/look/v1/outfits': { ...dressed, locale: 'de', recent: [{ itemIds: ['a'], daysAgo: 1 }] },
  '/look/v1/day': { hours: [{ weather, met: 2 }], items, locale: 'de' },
  '/look/v1/trip': {
    days: [{ date: '2026-11-24', weather, met: 2, occasion: 'work' }],
    items,
    maxItems: 9,
    wearsBeforeWash: 2,
  },
  '/look/v1/calibrate': { feedback: [{ vote: 1, met: 1.2, weather, worn }] },
  '/taxonomy/v1/taxonomy': {
    attributes: { title: 'Jeans', google_product_category: 204 },
    options: { topK: 3, minConfidence: 0.5, locale: 'de' },
  },
  '/intake/v1/batches': {
    name: 'a',
    operations: ['remove-background'],
    options: { quality: 'fast', format: 'png' },
    retention: { outputSeconds: 100 },
  },
  '/intake/v1/jobs': { imageUrl: 'https://a.invalid/x.jpg', operations: ['classify'] },
  '/intake/v1/feeds': { url: 'https://a.invalid/x.csv', schedule: '0 4 * * *' },
  '/intake/v1/webhooks/enable': { url: 'https://a.invalid/x' },
};

/** Of zod's own English. */
const VALIDATOR_ENGLISH =
  /Invalid (input|option|string|url|key)|expected|received|Too (small|big)|Unrecognized/i;

type Change = [pointer: string, changed: unknown];

/** Every body with one value replaced, and a pointer to it. */
function* changesOf(value: unknown, pointer = ''): Generator<Change> {
  for (const wrong of [null, 5e9, 'wrong!', [[]], { wrong: true }, true]) yield [pointer, wrong];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const [at, changed] of changesOf(member, `${pointer}/${name}`)) {
      const copy: Record<string, unknown> = Array.isArray(value)
        ? (value.slice() as unknown as Record<string, unknown>)
        : { ...value };
      copy[name] = changed;
      yield [at, copy];
    }
  }
}

/** Errors that one wrong value has elsewhere, where it matters: what is valid depends on it. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  '/imageUrl': ['/imageBase64'],
  '/feedback/0/weather': ['/feedback/0/indoorTempC'],
  '/items/0/id': ['/must/0'],
};

const isNullAt = (value: unknown, pointer: string): boolean =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at, name) => (at as Record<string, unknown>)[name], value) === null;

describe('one wrong value', () => {
  test.each(Object.entries(BODIES))('of %s is the only one blamed', async (path, body) => {
    const complaints: string[] = [];
    let rejected = 0;
    for (const [pointer, changed] of changesOf(body)) {
      const response = await send(path, changed);
      if (response.ok) {
        await response.body?.cancel();
        continue;
      }
      const problem = await problemOf(response);
      if (problem.type === 'conflict') continue;
      rejected += 1;
      const { errors = [] } = problem;
      const isBlamed = (one: { pointer: string }) =>
        one.pointer.startsWith(pointer) ||
        CONSEQUENCES[pointer]?.includes(one.pointer) ||
        // A null counts as left out: what lacks it is to blame.
        (pointer.startsWith(one.pointer) && isNullAt(changed, pointer));
      const pointers = errors.map((one) => one.pointer);
      const isFine =
        errors.length > 0 &&
        errors.every(isBlamed) &&
        new Set(pointers).size === pointers.length &&
        !VALIDATOR_ENGLISH.test(JSON.stringify(problem));
      if (!isFine) complaints.push(`${pointer}: ${JSON.stringify(problem)}`);
    }
    expect(complaints).toEqual([]);
    expect(rejected).toBeGreaterThan(4);
  });

  test('of a form of remove.bg is explained in plain words', async () => {
    const sent = { fields: { shadow_opacity: '500' }, files: { image_file: shirt } };
    const response = await postCompatForm(stack, { key, ...sent });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('shadow_opacity must be at most 100');
  });

  test('the value of a member that is missing is not guessed', async () => {
    const { items: _, ...bare } = dressed;
    const expected = [{ pointer: '/items', detail: 'is missing' }];
    expect(await errorsOf(await send('/look/v1/outfits', bare))).toEqual(expected);
    const { detail } = await problemOf(await send('/look/v1/targets', []));
    expect(detail).toBe('The body must be an object');
  });
});

test('the version of the dictionary of another major version is a problem of its own, for items and for options', async () => {
  const old = { ...items[0], dictionaryVersion: '0.9.0' };
  const response = await send('/look/v1/outfits', { weather, met: 2, items: [old] });
  expect(response.status).toBe(400);
  expect(await problemOf(response)).toMatchObject({
    type: 'dictionary-version-unsupported',
    errors: [{ pointer: '/items/0/dictionaryVersion' }],
  });
  const options = await fetch(`${stack.url}/taxonomy/v1/options?version=0.9.0`);
  const expected = { type: 'dictionary-version-unsupported', errors: [{ pointer: '?version' }] };
  expect(await problemOf(options)).toMatchObject(expected);
  const newer = { ...items[0], dictionaryVersion: '1.99.0' };
  expect((await send('/look/v1/outfits', { weather, met: 2, items: [newer] })).status).toBe(200);
});

/** A request and its response in a page. */
const EXAMPLE = /```http\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g;
const PAGE = join(ROOT, 'docs/errors.md');

/** Sends a request as the page has it. The request id is the client's, so that it is always the same. */
async function sendExample(text: string): Promise<Response> {
  const [head = '', ...rest] = text.trim().split('\n\n');
  const [line = '', ...lines] = head.split('\n');
  const [method = 'GET', path = ''] = line.split(' ');
  const headers = new Headers({ 'x-request-id': 'example' });
  for (const each of lines) {
    const at = each.indexOf(':');
    headers.set(
      each.slice(0, at),
      each
        .slice(at + 1)
        .trim()
        .replace('$KEY', key),
    );
  }
  const isForm = headers.get('content-type')?.startsWith('multipart/');
  const body = rest.join('\n\n');
  return fetch(`${stack.url}${path}`, {
    method,
    headers,
    ...(method === 'POST' && { body: isForm ? `${body.replaceAll('\n', '\r\n')}\r\n` : body }),
  });
}

/** `UPDATE_DOCS=1` writes the responses into the page. */
test('docs/errors.md shows what the service responds', async () => {
  const page = await readFile(PAGE, 'utf8');
  let current = page;
  const examples = [...page.matchAll(EXAMPLE)];
  expect(examples.length).toBeGreaterThanOrEqual(5);
  for (const [whole, request = '', shown = ''] of examples) {
    const response = await sendExample(request);
    const answer = `${JSON.stringify(await response.json(), null, 2)}\n`;
    const kept = whole.slice(0, -shown.length - '```'.length);
    current = current.replace(whole, () => `${kept}${answer}\`\`\``);
  }
  if (process.env.UPDATE_DOCS) await writeFile(PAGE, current);
  else expect(page).toBe(current);
});
