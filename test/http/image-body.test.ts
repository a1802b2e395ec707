import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Part, readJsonImage, readMultipart } from '../../src/http/image-body.ts';
import { Problem } from '../../src/platform/problem.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);
const MAX = 64;
const base64 = JPEG.toString('base64');
const read = (body: unknown) => readJsonImage(body, MAX);

const typeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.type;
    throw error;
  }
  return 'accepted';
};

describe('a JSON image body', () => {
  test.each([
    ['raw base64', base64],
    [
      'base64 in lines, as the base64 command writes it',
      `${base64.slice(0, 4)}\n${base64.slice(4)}\n`,
    ],
    ['base64 with spaces and line breaks in a quantum', ` ${base64.split('').join(' \r\n\t')} \n`],
    ['base64 without padding', base64.replace(/=+$/, '')],
    ['a data URL', `data:image/jpeg;base64,${base64}`],
    ['a data URL of another type than its bytes', `data:image/png;base64,${base64}`],
    ['a data URL in capitals', `DATA:Image/JPEG;BASE64,${base64}`],
    ['a data URL without a type', `data:;base64,${base64}`],
    ['a data URL with a parameter', `data:image/jpeg;charset=utf-8;base64,${base64}`],
    ['a data URL after a space', ` data:application/octet-stream;base64,${base64}`],
    ['the URL alphabet', base64.replaceAll('/', '_').replaceAll('+', '-')],
  ])('returns the bytes of %s', (_, text) => {
    expect(Buffer.from(read({ image_base64: text }).image!)).toEqual(JPEG);
  });

  test('says if a form decoder has replaced its plus signs', () => {
    const noise = Buffer.from('a+>?>~+o>>>a>?>>>~>>ooo>>>>');
    const sent = noise.toString('base64');
    expect(sent).toContain('+');
    expect(() => read({ image_base64: sent.replaceAll('+', ' ') })).toThrow(/%2B/);
    const folded = sent.replace(/.{8}(?=.)/g, '$& ');
    expect(Buffer.from(read({ image_base64: folded }).image!)).toEqual(noise);
  });

  test('may name its image in either spelling, once', () => {
    const expected = { fields: { note: null }, pointers: { image: '/imageBase64' } };
    expect(read({ imageBase64: base64, note: null })).toMatchObject(expected);
    const both = read({ imageBase64: base64, image_base64: base64 });
    expect(Object.keys(both.fields)).toEqual(['imageBase64']);
  });

  test('returns its other members too', () => {
    const expected = { attributes: { title: 'x' } };
    expect(read({ image_base64: base64, attributes: { title: 'x' } }).fields).toEqual(expected);
  });

  test.each([
    ['not an object', 'text'],
    ['an image that is no string', { image_base64: 7 }],
    ['characters that base64 cannot have', { image_base64: '!!!!' }],
    ['a length that base64 cannot have', { image_base64: 'abcde' }],
    ['padding in the middle', { image_base64: 'ab==cdef' }],
    [
      'one character in it that base64 cannot have',
      { image_base64: `${base64.slice(0, 5)}!${base64.slice(6)}` },
    ],
    ['a character past ASCII whose low byte is base64', { image_base64: '\u0141AAA' }],
    ['a no-break space', { image_base64: 'AAAA\u00a0AAAA' }],
    ['padding of three', { image_base64: 'A===' }],
    ['padding alone', { image_base64: '==' }],
    ['more spaces than lines need', { image_base64: `AAAA${' '.repeat(2000)}AAAA` }],
    ['nothing', { image_base64: '' }],
    ['a data URL without base64', { image_base64: 'data:image/png,abcd' }],
  ])('rejects %s as invalid-request', (_, body) => {
    expect(typeOf(() => read(body))).toBe('invalid-request');
  });

  test('says that base64 is percent-encoded', () => {
    const image_base64 = encodeURIComponent(base64);
    expect(() => read({ image_base64 })).toThrow('image_base64 is percent-encoded');
  });

  test('rejects an image larger than the limit, and accepts one of exactly that size', () => {
    const bytes = (length: number) => ({
      image_base64: Buffer.alloc(length, 1).toString('base64'),
    });
    expect(typeOf(() => read(bytes(MAX + 1)))).toBe('payload-too-large');
    expect(typeOf(() => read(bytes(10 * MAX)))).toBe('payload-too-large');
    expect(read(bytes(MAX)).image).toHaveLength(MAX);
  });
});

/** Decodes a text a few times; returns the fewest milliseconds. The first time V8 lays the text out. */
function decodeMillis(text: string): number {
  const times = [1, 2, 3, 4].map(() => {
    const startedAt = performance.now();
    typeOf(() => readJsonImage({ image_base64: text }, text.length));
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

test('base64 full of spaces costs no more than base64 without', () => {
  const plain = decodeMillis('AAAA'.repeat(1e6));
  const spaced = decodeMillis('AAAA '.repeat(1e6));
  expect(spaced).toBeLessThan(50 * plain); // in square time, some thousand times
});

const file = (bytes: Buffer, name = 'image', truncated = false): Part => ({
  type: 'file',
  fieldname: name,
  file: Object.assign(Readable.from([bytes]), { truncated }),
});
const field = (fieldname: string, value: string): Part => ({
  type: 'field',
  fieldname,
  value,
  valueTruncated: false,
});

async function* parts(...all: Part[]) {
  yield* all;
}

describe('a multipart form', () => {
  test('returns the image and the text parts', async () => {
    const form = await readMultipart(parts(field('note', 'hi'), file(JPEG)), MAX);
    expect(Buffer.from(form.image!)).toEqual(JPEG);
    expect(form.fields).toEqual({ note: 'hi' });
  });

  test.each([
    ['two images', [file(JPEG), file(JPEG)], 'invalid-request'],
    ['an empty image', [file(Buffer.alloc(0))], 'invalid-request'],
    ['a field that is sent twice', [field('note', 'a'), field('note', 'b')], 'invalid-request'],
    ['a file under another name', [file(JPEG, 'photo')], 'invalid-request'],
    ['an image over the limit', [file(JPEG, 'image', true)], 'payload-too-large'],
  ])('rejects %s', async (_, all, type) => {
    await expect(readMultipart(parts(...all), MAX)).rejects.toMatchObject({ type });
  });

  test('returns a background if the form accepts one, and rejects it elsewhere', async () => {
    const both = () => parts(file(JPEG, 'backgroundImage'), file(JPEG));
    const form = await readMultipart(both(), MAX, ['image', 'backgroundImage']);
    expect(Buffer.from(form.backgroundImage!)).toEqual(JPEG);
    await expect(readMultipart(both(), MAX)).rejects.toMatchObject({ type: 'invalid-request' });
    const unchosen = parts(file(Buffer.alloc(0), 'backgroundImage'), file(JPEG));
    const alone = await readMultipart(unchosen, MAX, ['image', 'backgroundImage']);
    expect(alone.backgroundImage).toBeUndefined();
    expect(Object.keys(alone.fields)).toEqual([]);
  });

  test('does not repeat a hostile part name unescaped', async () => {
    const hostile = file(JPEG, '../../etc/passwd\n<script>');
    await expect(readMultipart(parts(hostile), MAX)).rejects.toMatchObject({
      detail: expect.not.stringMatching(/[<>\n/]/),
    });
  });
});
