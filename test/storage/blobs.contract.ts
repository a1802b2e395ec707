import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BlobEntry, BlobMissing, type Blobs } from '../../src/storage/blobs.ts';

const MIB = 2 ** 20;
/** Streams are sent to S3 in parts of this size. */
const PART = 8 * MIB;

const HOSTILE_KEYS = [
  ...['', '/', '/etc/passwd', '..', '.', '../up', '../../../../etc/passwd', 'a/../../up', 'a/..'],
  ...[
    'a/./b',
    'a//b',
    'a/',
    'a\\b',
    'a\0b',
    'a b',
    'a~/b',
    'a%2e%2e/b',
    'a?versionId=1',
    'é',
    'a\n',
  ],
];

const LONG_KEYS = [
  { title: '251 characters in one segment', key: `a/${'x'.repeat(251)}` },
  { title: '1,025 characters', key: 'long/'.repeat(205).slice(0, -1).padEnd(1025, 'x') },
];

const streamOf = (bytes: Uint8Array, chunkBytes: number): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes);
      }
    })(),
  );

export const entriesOf = async (blobs: Blobs, prefix: string): Promise<BlobEntry[]> => {
  const entries: BlobEntry[] = [];
  for await (const entry of blobs.list(prefix)) entries.push(entry);
  return entries;
};

const keysOf = async (blobs: Blobs, prefix: string): Promise<string[]> =>
  (await entriesOf(blobs, prefix)).map(({ key }) => key).sort();

/** A stream that yields so many bytes and then stalls; `stalled` resolves at that moment. */
function stalling(bytes: number): { stream: Readable; stalled: Promise<void> } {
  let stall = () => {};
  const stalled = new Promise<void>((resolve) => {
    stall = resolve;
  });
  let given = false;
  const stream = new Readable({
    read() {
      if (given) return stall();
      given = true;
      this.push(Buffer.alloc(bytes, 1));
    },
  });
  return { stream, stalled };
}

/** The behaviour of every kind of object storage. `open` returns an empty one. */
export function blobsContract(open: () => Promise<Blobs>): void {
  let blobs: Blobs;
  beforeAll(async () => {
    blobs = await open();
  });
  afterAll(() => blobs.close());

  describe('bytes', () => {
    test.each([0, 1, 1000, MIB, PART + 1])('%i bytes come back as they went in', async (size) => {
      const bytes = randomBytes(size);
      await blobs.put(`round/trip-${size}.bin`, bytes);
      const back = await blobs.get(`round/trip-${size}.bin`);
      expect(Buffer.compare(back, bytes)).toBe(0);
    });

    test.each([
      { size: 0, chunkBytes: 1 },
      { size: 10, chunkBytes: 3 },
      { size: PART, chunkBytes: 65_536 },
      { size: 2 * PART, chunkBytes: PART },
      { size: 2 * PART + 5, chunkBytes: 65_537 },
      { size: 2 * PART + 5, chunkBytes: 2 * PART + 5 },
    ])('a stream of $size bytes in chunks of $chunkBytes comes back as it went in', async (row) => {
      const bytes = randomBytes(row.size);
      await blobs.put('round/stream', streamOf(bytes, row.chunkBytes));
      const chunks = await (await blobs.open('round/stream')).toArray();
      expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
      expect((await blobs.head('round/stream'))?.bytes).toBe(row.size);
    });

    test('a blob that is not durable comes back as it went in', async () => {
      await blobs.put('round/fleeting', Buffer.from('soon gone'), { durable: false });
      expect(Buffer.from(await blobs.get('round/fleeting')).toString()).toBe('soon gone');
    });

    test('a second put replaces bytes and metadata', async () => {
      const first = { mediaType: 'image/png', meta: { client: 'acme' } };
      await blobs.put('replaced', Buffer.alloc(5000, 1), first);
      await blobs.put('replaced', Buffer.from('short'), { mediaType: 'text/plain' });
      expect(Buffer.from(await blobs.get('replaced')).toString()).toBe('short');
      expect(await blobs.head('replaced')).toMatchObject({
        bytes: 5,
        mediaType: 'text/plain',
        meta: {},
      });
    });

    test('concurrent puts of one key leave one of the blobs, whole', async () => {
      const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(300_000 + i, i));
      await Promise.all(bodies.map((body) => blobs.put('contended/one', body)));
      const back = Buffer.from(await blobs.get('contended/one'));
      expect(bodies.some((body) => body.equals(back))).toBe(true);
      expect(await keysOf(blobs, 'contended/')).toEqual(['contended/one']);
    });

    test('puts succeed while the last blobs of their folder are deleted', async () => {
      const runs = Array.from({ length: 40 }, async (_, i) => {
        const key = `crowded/room/${i}`;
        await blobs.put(key, Buffer.from(key));
        expect(Buffer.from(await blobs.get(key)).toString()).toBe(key);
        await blobs.delete(key);
      });
      await Promise.all(runs);
      expect(await keysOf(blobs, 'crowded/')).toEqual([]);
    });

    test('a key may start with the key of another blob', async () => {
      await blobs.put('nest', Buffer.from('outer'));
      await blobs.put('nest/in.png', Buffer.from('inner'));
      await blobs.put('nest/in.png/deeper', Buffer.from('deepest'));
      expect(await keysOf(blobs, 'nest')).toEqual(['nest', 'nest/in.png', 'nest/in.png/deeper']);
      await blobs.delete('nest');
      expect(Buffer.from(await blobs.get('nest/in.png')).toString()).toBe('inner');
    });
  });

  describe('missing blobs', () => {
    test('get and open throw BlobMissing, head finds nothing', async () => {
      await expect(blobs.get('no/such')).rejects.toBeInstanceOf(BlobMissing);
      await expect(blobs.open('no/such')).rejects.toBeInstanceOf(BlobMissing);
      expect(await blobs.head('no/such')).toBeUndefined();
    });

    test('a deleted blob is missing, and deleting it again is no error', async () => {
      await blobs.put('gone/soon', Buffer.from('x'));
      await blobs.delete('gone/soon');
      await blobs.delete('gone/soon');
      await expect(blobs.get('gone/soon')).rejects.toBeInstanceOf(BlobMissing);
      expect(await keysOf(blobs, 'gone/')).toEqual([]);
    });
  });

  describe('metadata', () => {
    test('media type and user metadata are stored', async () => {
      const meta = { 'accepted-at': '2026-01-31T12:00:00Z', empty: '', intent: '{"a": "b\\c"}' };
      await blobs.put('metadata/stored', Buffer.from('x'), { mediaType: 'image/webp', meta });
      expect(await blobs.head('metadata/stored')).toMatchObject({ mediaType: 'image/webp', meta });
    });

    test('1.5 KiB of metadata are stored', async () => {
      const meta = { client: 'x'.repeat(1530) };
      await blobs.put('metadata/many', Buffer.from('x'), { meta });
      expect((await blobs.head('metadata/many'))?.meta).toEqual(meta);
    });

    test('metadata is stored with a stream of several parts', async () => {
      const meta = { client: 'acme' };
      const body = streamOf(Buffer.alloc(PART + 10), MIB);
      await blobs.put('metadata/parts', body, { mediaType: 'image/jpeg', meta });
      expect(await blobs.head('metadata/parts')).toMatchObject({ mediaType: 'image/jpeg', meta });
    });

    test('a blob without metadata is an octet stream, modified now', async () => {
      const before = Date.now();
      await blobs.put('metadata/none', Buffer.from('x'));
      const head = await blobs.head('metadata/none');
      expect(head).toMatchObject({ mediaType: 'application/octet-stream', meta: {}, bytes: 1 });
      expect(Math.abs((head?.modifiedAt.getTime() ?? 0) - before)).toBeLessThan(3_600_000);
    });

    test.each([
      { title: 'a name with upper case', metadata: { meta: { Client: 'x' } } },
      { title: 'a value with a line break', metadata: { meta: { client: 'x\r\nevil: 1' } } },
      { title: 'a value beyond ASCII', metadata: { meta: { client: 'é' } } },
      { title: 'a value that begins with a space', metadata: { meta: { client: ' x' } } },
      { title: 'more than 1.5 KiB', metadata: { meta: { client: 'x'.repeat(1531) } } },
      { title: 'a media type with a line break', metadata: { mediaType: 'image/png\r\nx: y' } },
    ])('$title is rejected, and nothing is written', async ({ metadata }) => {
      await expect(blobs.put('metadata/bad', Buffer.from('x'), metadata)).rejects.toThrow(
        TypeError,
      );
      expect(await blobs.head('metadata/bad')).toBeUndefined();
    });
  });

  describe('keys', () => {
    test.each([...HOSTILE_KEYS.map((key) => ({ title: JSON.stringify(key), key })), ...LONG_KEYS])(
      '$title is rejected by every call',
      async ({ key }) => {
        await expect(blobs.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
        await expect(blobs.get(key)).rejects.toThrow(TypeError);
        await expect(blobs.open(key)).rejects.toThrow(TypeError);
        await expect(blobs.head(key)).rejects.toThrow(TypeError);
        await expect(blobs.delete(key)).rejects.toThrow(TypeError);
        await expect(blobs.link(key, 60)).rejects.toThrow(TypeError);
        await expect(blobs.copy(key, 'keys/to')).rejects.toThrow(TypeError);
        await expect(blobs.copy('keys/from', key)).rejects.toThrow(TypeError);
      },
    );

    const PREFIXES = ['/', '../', 'a/../', 'a\0', 'a~', 'a//'];
    test.each(PREFIXES)('prefix %j is rejected', async (prefix) => {
      await expect(keysOf(blobs, prefix)).rejects.toThrow(TypeError);
    });

    test.each([
      { title: 'three dots', key: '...' },
      { title: 'a hidden name', key: '.hidden' },
      { title: 'every kind of character', key: 'A/b_c-d.e' },
      { title: 'a hundred folders', key: `deep/${'d/'.repeat(100)}x` },
      { title: 'a segment of 250 characters', key: 'x'.repeat(250) },
      { title: '1,024 characters', key: 'long/'.repeat(205).slice(0, -1) },
    ])('$title is a valid key', async ({ key }) => {
      await blobs.put(key, Buffer.from(key));
      expect(Buffer.from(await blobs.get(key)).toString()).toBe(key);
      expect(await keysOf(blobs, key)).toEqual([key]);
    });
  });

  test('a link, if the storage has any, returns the blob without credentials', async () => {
    await blobs.put('linked/one.txt', Buffer.from('x'), { mediaType: 'text/plain' });
    const link = await blobs.link('linked/one.txt', 60);
    const missing = await blobs.link('linked/none.txt', 60);
    expect(typeof link).toBe(typeof missing);
    if (link === undefined || missing === undefined) return;
    const response = await fetch(link);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('x');
    expect((await fetch(missing)).status).toBe(404);
  });

  describe('a copy', () => {
    const original = { mediaType: 'image/png', meta: { model: 'm@1', confidence: '0.9' } };

    test.each([0, 1000, PART + 1])('of %i bytes has the bytes and the metadata', async (size) => {
      const bytes = randomBytes(size);
      await blobs.put(`copy/from-${size}`, bytes, original);
      await blobs.copy(`copy/from-${size}`, `copy/deep/er/to-${size}`);
      const back = await blobs.get(`copy/deep/er/to-${size}`);
      expect(Buffer.compare(back, bytes)).toBe(0);
      expect(await blobs.head(`copy/deep/er/to-${size}`)).toMatchObject({
        ...original,
        bytes: size,
      });
      expect(await keysOf(blobs, 'copy/deep/')).toContain(`copy/deep/er/to-${size}`);
    });

    test('is independent of its original', async () => {
      await blobs.put('copy/apart/1', Buffer.from('first'), original);
      await blobs.copy('copy/apart/1', 'copy/apart/2');
      await blobs.copy('copy/apart/2', 'copy/apart/3');
      await blobs.put('copy/apart/1', Buffer.from('other'));
      await blobs.delete('copy/apart/2');
      expect(Buffer.from(await blobs.get('copy/apart/1')).toString()).toBe('other');
      expect(Buffer.from(await blobs.get('copy/apart/3')).toString()).toBe('first');
      expect(await blobs.head('copy/apart/3')).toMatchObject(original);
      expect(await keysOf(blobs, 'copy/apart/')).toEqual(['copy/apart/1', 'copy/apart/3']);
    });

    test('replaces an existing blob, and may be repeated', async () => {
      await blobs.put('copy/over/from', Buffer.from('new'), original);
      await blobs.put('copy/over/to', Buffer.from('old and longer'));
      for (const _ of ['first', 'again']) await blobs.copy('copy/over/from', 'copy/over/to');
      expect(Buffer.from(await blobs.get('copy/over/to')).toString()).toBe('new');
      expect(await blobs.head('copy/over/to')).toMatchObject(original);
      expect(await keysOf(blobs, 'copy/over/')).toEqual(['copy/over/from', 'copy/over/to']);
    });

    test('of a missing blob throws BlobMissing and leaves the target', async () => {
      await blobs.put('copy/left', Buffer.from('before'));
      const copy = blobs.copy('copy/no/such', 'copy/left');
      await expect(copy).rejects.toBeInstanceOf(BlobMissing);
      expect(Buffer.from(await blobs.get('copy/left')).toString()).toBe('before');
    });

    test('is whole or missing while the original is written and deleted', async () => {
      const bodies = [1, 2].map((fill) => Buffer.alloc(100_000 + fill, fill));
      const runs = Array.from({ length: 40 }, async (_, turn) => {
        await blobs.put('copy/race/from', bodies[turn % 2] ?? Buffer.alloc(0));
        const to = `copy/race/to-${turn}`;
        const isCopied = await blobs.copy('copy/race/from', to).then(
          () => true,
          (error) => {
            expect(error).toBeInstanceOf(BlobMissing);
            return false;
          },
        );
        if (turn % 3 === 0) await blobs.delete('copy/race/from');
        if (!isCopied) return 'missing';
        const back = Buffer.from(await blobs.get(to));
        return bodies.some((body) => body.equals(back)) ? 'whole' : 'torn';
      });
      const outcomes = await Promise.all(runs);
      // Until the first delete the original exists, so at least one copy succeeds.
      expect(outcomes).toContain('whole');
      expect(outcomes).not.toContain('torn');
    });
  });

  describe('listing', () => {
    test('a prefix is any start of a key, not only a folder', async () => {
      const keys = ['list/a/1', 'list/a/2', 'list/ab/3', 'list/b'];
      for (const key of keys) await blobs.put(key, Buffer.from(key));
      expect(await keysOf(blobs, 'list/a')).toEqual(['list/a/1', 'list/a/2', 'list/ab/3']);
      expect(await keysOf(blobs, 'list/a/')).toEqual(['list/a/1', 'list/a/2']);
      expect(await keysOf(blobs, 'list/a/2')).toEqual(['list/a/2']);
      expect(await keysOf(blobs, 'list/c')).toEqual([]);
      expect(await keysOf(blobs, 'nowhere/at/all')).toEqual([]);
      expect(await keysOf(blobs, '')).toEqual(expect.arrayContaining(keys));
    });

    test('more than 1,000 keys are all listed, each once, with its size', async () => {
      const keys = Array.from({ length: 1_050 }, (_, i) => `many/${i % 7}/${i}`).sort();
      for (let at = 0; at < keys.length; at += 50) {
        await Promise.all(
          keys
            .slice(at, at + 50)
            .map((key) => blobs.put(key, Buffer.from(key), { durable: false })),
        );
      }
      const entries = await entriesOf(blobs, 'many/');
      expect(entries.map(({ key }) => key).sort()).toEqual(keys);
      expect(entries.every(({ key, bytes }) => bytes === key.length)).toBe(true);
    });
  });

  describe('aborting', () => {
    const reason = new Error('the caller has left');
    const aborted = AbortSignal.abort(reason);

    test('nothing is started with an aborted signal', async () => {
      await blobs.put('left/there', Buffer.from('x'));
      const body = streamOf(Buffer.alloc(10), 5);
      await expect(blobs.put('left/new', body, {}, aborted)).rejects.toBe(reason);
      await expect(blobs.put('left/new', Buffer.from('x'), {}, aborted)).rejects.toBe(reason);
      await expect(blobs.get('left/there', aborted)).rejects.toBe(reason);
      await expect(blobs.open('left/there', aborted)).rejects.toBe(reason);
      await expect(blobs.head('left/there', aborted)).rejects.toBe(reason);
      await expect(blobs.delete('left/there', aborted)).rejects.toBe(reason);
      await expect(blobs.copy('left/there', 'left/new', aborted)).rejects.toBe(reason);
      await expect(blobs.check(aborted)).rejects.toBe(reason);
      await expect(blobs.list('left/', aborted)[Symbol.asyncIterator]().next()).rejects.toBe(
        reason,
      );
      expect(await keysOf(blobs, 'left/')).toEqual(['left/there']);
      expect(body.destroyed).toBe(true);
    });

    test.each([
      { title: 'in its first part', bytes: 1000 },
      { title: 'in its second part', bytes: PART + 1000 },
    ])('a put aborted $title leaves the blob that was there', async ({ bytes }) => {
      await blobs.put('left/half', Buffer.from('before'));
      const { stream, stalled } = stalling(bytes);
      const caller = new AbortController();
      const put = blobs.put('left/half', stream, {}, caller.signal);
      stalled.then(() => caller.abort(reason));
      await expect(put).rejects.toBe(reason);
      expect(stream.destroyed).toBe(true);
      expect(Buffer.from(await blobs.get('left/half')).toString()).toBe('before');
    });

    test.each([
      { title: 'in its first part', bytes: 1000 },
      { title: 'in its second part', bytes: PART + 1000 },
    ])('a stream that fails $title fails the put with its own error', async ({ bytes }) => {
      const error = new Error('the client hung up');
      const { stream, stalled } = stalling(bytes);
      stalled.then(() => stream.destroy(error));
      await expect(blobs.put('left/failed', stream)).rejects.toBe(error);
      expect(await blobs.head('left/failed')).toBeUndefined();
    });

    test('a stream may fail, and its reader abort, before anyone listens', async () => {
      const error = new Error('the client hung up');
      const body = new Readable({ read() {} });
      const put = blobs.put('left/early', body);
      body.destroy(error);
      await expect(put).rejects.toBe(error);
      await blobs.put('left/early', Buffer.alloc(MIB));
      const reader = new AbortController();
      const stream = await blobs.open('left/early', reader.signal);
      reader.abort(reason);
      await new Promise((resolve) => stream.once('close', resolve));
      await expect(stream.toArray()).rejects.toThrow();
    });

    test('any number of opened blobs may be left partly read', async () => {
      await blobs.put('left/unread', Buffer.alloc(MIB));
      let opened = 0;
      for (let time = 0; time < 300; time++) {
        for await (const chunk of await blobs.open('left/unread')) {
          expect(chunk.length).toBeGreaterThan(0);
          opened++;
          break;
        }
      }
      expect(opened).toBe(300);
      expect((await blobs.get('left/unread')).length).toBe(MIB);
    });

    test('an opened blob ends in an error when its reader aborts', async () => {
      await blobs.put('left/unread', Buffer.alloc(4 * MIB));
      const reader = new AbortController();
      const stream = await blobs.open('left/unread', reader.signal);
      reader.abort(reason);
      await expect(stream.toArray()).rejects.toThrow();
    });
  });

  test('a usable storage passes its check, which leaves nothing behind', async () => {
    const before = await keysOf(blobs, '');
    await blobs.check();
    expect(await keysOf(blobs, '')).toEqual(before);
  });
}
