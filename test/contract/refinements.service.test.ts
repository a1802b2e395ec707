import sharp from 'sharp';
import { expect, test } from 'vitest';
import { formWith, keyClient, postImage } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const [WIDTH, HEIGHT] = [300, 360];
/** A part of the shirt that the tests make transparent. */
const HOLE = { left: 130, top: 160, right: 170, bottom: 220 };
const STROKE = {
  mode: 'add',
  radius: 8,
  points: [
    [150, 172],
    [150, 208],
  ],
};

const isInHole = (i: number): boolean => {
  const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
  return x >= HOLE.left && x < HOLE.right && y >= HOLE.top && y < HOLE.bottom;
};

const raw = (channels: 1 | 3 | 4) => ({ raw: { width: WIDTH, height: HEIGHT, channels } });
const toPng = (plane: Uint8Array): Promise<Buffer> =>
  sharp(plane, raw(1)).toColourspace('b-w').png().toBuffer();
const rgbaOf = (file: Uint8Array): Promise<Buffer> => sharp(file).ensureAlpha().raw().toBuffer();
const alphaOf = (rgba: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: rgba.length / 4 }, (_, i) => rgba[4 * i + 3]!);
const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());

const { stack, key } = await useSharedStack();
const shirt = await drawnShirtOnWood({ width: WIDTH, height: HEIGHT, format: 'jpeg' });
const removed = await postImage(stack, shirt, { key });
/** RGBA of the cut-out, and its alpha with a hole. */
const cutOut = await rgbaOf(await bytesOf(removed));
const faulty = Buffer.from(alphaOf(cutOut).map((alpha, i) => (isInHole(i) ? 0 : alpha)));

interface Sent {
  image?: Uint8Array | undefined;
  alpha?: Uint8Array | undefined;
  strokes?: unknown;
  fields?: Record<string, string>;
  as?: string;
}

/** Sends a refinement; by default of the shirt with the hole. */
async function refine(sent: Sent): Promise<Response> {
  const all: Sent = { image: shirt, alpha: await toPng(faulty), strokes: [STROKE], ...sent };
  const { image, alpha, fields } = all;
  const strokes = typeof all.strokes === 'string' ? all.strokes : JSON.stringify(all.strokes);
  const body = formWith({ image, alpha, strokes, ...fields });
  return keyClient(stack, sent.as ?? key).ask('POST', '/bg/v1/refinements', { body });
}

test('a stroke closes a hole; every pixel it does not reach is the same', async () => {
  const response = await refine({});
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.get('server-timing')).toMatch(/matte;dur=/);
  const mended = await rgbaOf(await bytesOf(response));
  const alpha = alphaOf(mended);
  const wrong = alpha.filter((value, i) => isInHole(i) && value !== 255).length;
  expect(wrong).toBe(0);
  // Four radii, and half of the length of the stroke.
  const reach = 4 * STROKE.radius + 18;
  const isReached = (i: number) => {
    const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
    return Math.hypot(x - 150, y - Math.min(208, Math.max(172, y))) <= reach + 1;
  };
  expect(alpha.every((value, i) => isReached(i) || value === faulty[i])).toBe(true);
  // Where nothing was changed the colours are the cut-out's too.
  const opaque = alpha.findIndex((value, i) => value === 255 && !isReached(i));
  expect(mended.subarray(4 * opaque, 4 * opaque + 4)).toEqual(
    cutOut.subarray(4 * opaque, 4 * opaque + 4),
  );
});

test.each(['grey', 'grey with alpha', 'RGBA', '16 bits'])('the alpha may be %s', async (form) => {
  const rgba = Buffer.from(cutOut);
  for (let i = 0; i < faulty.length; i++) rgba[4 * i + 3] = faulty[i]!;
  const grey = sharp(faulty, raw(1)).toColourspace('b-w');
  const alpha = await {
    grey: () => grey.png().toBuffer(),
    'grey with alpha': () => sharp(rgba, raw(4)).toColourspace('b-w').png().toBuffer(),
    RGBA: () => sharp(rgba, raw(4)).png().toBuffer(),
    '16 bits': () => sharp(faulty, raw(1)).toColourspace('grey16').png().toBuffer(),
  }[form]!();
  const far = { mode: 'erase', radius: 1, points: [[5, 5]] };
  const response = await refine({ alpha, strokes: [far] });
  const result = alphaOf(await rgbaOf(await bytesOf(response)));
  expect(faulty.filter((value, i) => value !== result[i])).toHaveLength(0);
});

test('the output is rendered as the fields request', async () => {
  const response = await refine({ fields: { format: 'jpeg', backgroundColor: '#00ff00' } });
  expect(response.headers.get('content-type')).toBe('image/jpeg');
  const { data } = await sharp(await bytesOf(response))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([data[0]! < 20, data[1]! > 235, data[2]! < 20]).toEqual([true, true, true]);
});

test('the image is turned upright before it meets the alpha', async () => {
  const turned = await sharp(shirt).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
  const response = await refine({ image: turned });
  expect(response.status).toBe(200);
  const { width, height } = await sharp(await bytesOf(response)).metadata();
  expect([width, height]).toEqual([WIDTH, HEIGHT]);
  const lying = await refine({ image: await sharp(shirt).rotate(90).jpeg().toBuffer() });
  expect(await lying.json()).toMatchObject({ status: 400, errors: [{ pointer: '/alpha' }] });
});

const many = (count: number) => Array.from({ length: count }, (_, i) => [i % 300, i % 360]);
const OUTSIDE = many(2).with(1, [301, 5]);
const ofRadius = (radius: string) => `[{"mode":"add","radius":${radius},"points":[[1,1]]}]`;
const stroke = (changes: object) => [STROKE, { ...STROKE, ...changes }];

test.each<[string, Sent, number, string]>([
  [
    'a point outside the picture',
    { strokes: stroke({ points: OUTSIDE }) },
    400,
    '/strokes/1/points/1',
  ],
  ['a negative point', { strokes: stroke({ points: [[-1, 1]] }) }, 400, '/strokes/1/points/0'],
  ['NaN', { strokes: ofRadius('NaN') }, 400, '/strokes'],
  ['a number beyond all numbers', { strokes: ofRadius('1e999') }, 400, '/strokes/0/radius'],
  ['a point of one number', { strokes: stroke({ points: [[1]] }) }, 400, '/strokes/1/points/0'],
  ['a point that is null', { strokes: stroke({ points: [null] }) }, 400, '/strokes/1/points/0'],
  ['no points', { strokes: stroke({ points: [] }) }, 400, '/strokes/1/points'],
  ['a stroke that is null', { strokes: [null] }, 400, '/strokes/0'],
  ['an unknown mode', { strokes: stroke({ mode: 'blur' }) }, 400, '/strokes/1/mode'],
  ['an unknown member', { strokes: stroke({ colour: 'red' }) }, 400, '/strokes/1/colour'],
  ['a radius of 0', { strokes: stroke({ radius: 0 }) }, 400, '/strokes/1/radius'],
  ['no strokes', { strokes: [] }, 400, '/strokes'],
  ['strokes that are no list', { strokes: { mode: 'add' } }, 400, '/strokes'],
  ['strokes that are missing', { strokes: undefined }, 400, '/strokes'],
  ['strokes that are not JSON', { strokes: 'add' }, 400, '/strokes'],
  ['6,000 points', { strokes: stroke({ points: many(6000) }) }, 413, '/strokes'],
  ['100,000 points', { strokes: stroke({ points: many(100_000) }) }, 413, '/strokes'],
  ['60 strokes', { strokes: Array(60).fill(STROKE) }, 400, '/strokes'],
  ['20 strokes over all', { strokes: Array(20).fill({ ...STROKE, radius: 200 }) }, 413, '/strokes'],
  ['brackets', { strokes: '['.repeat(200_000) }, 400, '/strokes'],
  ['a missing image', { image: undefined }, 400, '/image'],
  ['a missing alpha', { alpha: undefined }, 400, '/alpha'],
  ['an empty alpha', { alpha: new Uint8Array() }, 400, '/alpha'],
  ['an alpha that is no picture', { alpha: Buffer.from('hello') }, 415, '/alpha'],
  ['an unknown field', { fields: { colour: 'red' } }, 400, '/colour'],
  ['a region', { fields: { roi: '0% 0% 50% 50%' } }, 400, '/roi'],
  ['an option that cannot be', { fields: { format: 'gif' } }, 400, '/format'],
])('%s is rejected with a pointer', async (_, sent, status, pointer) => {
  const response = await refine(sent);
  expect(await response.json()).toMatchObject({ status, errors: [{ pointer }] });
});

test('an alpha of another size is rejected, before or after it is decoded', async () => {
  const small = await sharp(faulty, raw(1)).resize(100, 120).png().toBuffer();
  const cut = (await toPng(faulty)).subarray(0, 400);
  for (const alpha of [small, cut]) {
    const response = await refine({ alpha });
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/alpha' }] });
  }
  const jpeg = await refine({ alpha: shirt });
  expect(await jpeg.json()).toMatchObject({ status: 415, errors: [{ pointer: '/alpha' }] });
});

test('an image that cannot be decoded is blamed', async () => {
  const response = await refine({ image: shirt.subarray(0, 600) });
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/image' }] });
});

test('a success costs one image of the quota, an error none', async () => {
  const limited = (await stack.key({ quotaPerDay: 1 })).key;
  expect((await refine({ as: limited, strokes: [] })).status).toBe(400);
  expect((await refine({ as: limited })).status).toBe(200);
  const expected = { status: 429, type: 'quota-exceeded' };
  expect(await (await refine({ as: limited })).json()).toMatchObject(expected);
});
