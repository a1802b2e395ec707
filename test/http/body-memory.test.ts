import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BodyMemory } from '../../src/http/capacity.ts';
import { json, type Route } from '../../src/http/route.ts';
import { Problem } from '../../src/platform/problem.ts';
import { keyOf, open, type Raw, requestText, row, serve, TEST_ROUTE } from './serve.ts';

const MIB = 2 ** 20;

describe('memory for bodies', () => {
  const create = () => {
    const reasons: string[] = [];
    return { memory: new BodyMemory(100, (reason) => reasons.push(reason)), reasons };
  };

  test('is divided: one client gets half, the next half of the rest, and so on', () => {
    const { memory, reasons } = create();
    memory.hold('a').resize(50);
    expect(() => memory.hold('a').resize(1)).toThrow(Problem);
    memory.hold('b').resize(25);
    expect(() => memory.hold('b').resize(1)).toThrow(Problem);
    memory.hold('c').resize(12);
    expect(reasons).toEqual(['share', 'share']);
    expect(memory.total()).toBe(87);
  });

  test('goes to a client that holds nothing as long as it fits', () => {
    const { memory, reasons } = create();
    memory.hold('a').resize(50);
    memory.hold('b').resize(50);
    expect(() => memory.hold('c').resize(1)).toThrow(/as many bodies/);
    expect(reasons).toEqual(['full']);
  });

  test('is returned when a body needs less, and for good at its end', () => {
    const { memory } = create();
    const hold = memory.hold('a');
    hold.resize(50);
    hold.resize(10);
    expect(memory.total()).toBe(10);
    hold.release();
    hold.resize(50); // a byte that arrives after the response
    hold.release();
    expect(memory.total()).toBe(0);
  });

  test('is taken by finished responses of any size, and some is left for others', () => {
    const { memory, reasons } = create();
    memory.holdResponse('a').take(1000);
    memory.holdResponse('a').take(1000);
    memory.holdResponse('b').take(1000);
    expect(memory.total()).toBeLessThan(80);
    memory.hold('c').resize(20);
    expect(reasons).toEqual([]);
  });

  test('is waited for by one response of a client after the other', async () => {
    const { memory, reasons } = create();
    const { signal } = new AbortController();
    const [first, second, third, other] = ['a', 'a', 'a', 'b'].map(memory.holdResponse);
    const ready: string[] = [];
    await first?.wait(200, signal);
    const waits = [
      second?.wait(60, signal).then(() => ready.push('second')),
      third?.wait(60, signal).then(() => ready.push('third')),
    ];
    await other?.wait(10, signal); // holds nothing
    expect([memory.total(), ready]).toEqual([60, []]);
    first?.release();
    await waits[0];
    expect([memory.total(), ready]).toEqual([55, ['second']]);
    second?.release();
    await waits[1];
    expect(reasons).toEqual([]);
  });

  test('is no longer waited for by a client that has left', async () => {
    const { memory } = create();
    const controller = new AbortController();
    await memory.holdResponse('a').wait(40, controller.signal);
    const wait = memory.holdResponse('a').wait(60, controller.signal);
    controller.abort(new Error('left'));
    await expect(wait).rejects.toThrow('left');
    expect(memory.total()).toBe(40);
  });
});

/** Ends the requests whose handlers wait. */
let finish: () => void = () => {};
let finished: Promise<void>;

const common = { ...TEST_ROUTE, method: 'POST' } as const;
const wait = () => finished.then(() => json({}));
/** Larger than what the buffers of two sockets hold. */
const FILE_BYTES = 20 * MIB;
const TEXT_BYTES = 15 * MIB;
/** Files that `/file` has loaded. */
let loaded: number;
const ROUTES: readonly Route[] = [
  row({
    ...common,
    path: '/file',
    async handle(call) {
      await call.awaitMemory(FILE_BYTES, call.signal);
      loaded++;
      return { body: Buffer.alloc(FILE_BYTES) };
    },
  }),
  row({
    ...common,
    scope: 'keyless',
    method: 'GET',
    path: '/text',
    handle: () => json({ text: 'x'.repeat(TEXT_BYTES) }),
  }),
  row({ ...common, path: '/json', body: z.unknown(), handle: wait }),
  row({ ...common, scope: 'keyless', path: '/sign-in', body: z.unknown(), handle: wait }),
  row({
    ...common,
    path: '/image',
    imageForm: { 'application/json': z.object({}) },
    handle: (call) => call.imageForm().then(wait),
  }),
  row({
    ...common,
    path: '/files',
    stream: { 'multipart/form-data': 'binary' },
    async handle(call) {
      const body = call.bodyStream();
      if (body.kind !== 'files') return json({});
      for await (const { stream } of body.files) for await (const _ of stream);
      return wait();
    },
  }),
];

let server: Awaited<ReturnType<typeof serve>>;
const opened: Raw[] = [];
const start = async () => {
  loaded = 0;
  finished = new Promise((resolve) => {
    finish = resolve;
  });
  server = await serve(ROUTES, { maxImageBytes: 4 * MIB, maxBodyMemoryBytes: 64 * MIB });
};
const stop = async () => {
  finish();
  for (const { socket } of opened.splice(0)) socket.destroy();
  server.drain();
  await server.app.close();
};

const JSON_TYPE = 'Content-Type: application/json';

async function send(path: string, headers: readonly string[], body = ''): Promise<Raw> {
  const raw = await open(server.url, requestText(`POST ${path}`, headers, body));
  opened.push(raw);
  return raw;
}

/** Begins bodies of 1 MiB of JSON, one after the other, until one is rejected; returns their number. */
async function beginUntilRejected(client: string): Promise<number> {
  for (let count = 0; count < 20; count++) {
    const before = server.figures().bodyBytes;
    const raw = await send('/json', [JSON_TYPE, `Content-Length: ${MIB}`, keyOf(client)], '[');
    await expect
      .poll(() => server.figures().bodyBytes > before || raw.text().includes(' 503 '))
      .toBe(true);
    if (raw.text().includes(' 503 ')) return count;
  }
  return 20;
}

describe('a request', () => {
  beforeEach(start);
  afterEach(stop);

  test('takes memory before its body arrives, and its client gets no more than its share', async () => {
    const greedy = await beginUntilRejected('greedy');
    expect(greedy).toBeGreaterThan(0);
    const afterGreedy = server.figures().bodyBytes;
    expect(afterGreedy).toBeLessThanOrEqual(32 * MIB);
    expect(await beginUntilRejected('honest')).toBeGreaterThan(0);
    expect(server.figures().bodyBytes).toBeLessThanOrEqual(64 * MIB);
    expect(server.figures().rejectedBodies).toEqual({ full: 0, share: 2 });
    const rejected = opened.find(({ text }) => text().includes(' 503 '))?.text();
    expect(rejected).toMatch(/retry-after: 1\r\n/i);
    expect(server.admitted.requests.greedy).toBe(greedy + 1);
    for (const { socket } of opened) socket.destroy();
    await expect.poll(() => server.figures().bodyBytes).toBe(0);
  });

  test('with chunks counts with the limit of its route', async () => {
    await send('/json', [JSON_TYPE, 'Transfer-Encoding: chunked', keyOf('a')]);
    await expect.poll(() => server.figures().bodyBytes).toBeGreaterThanOrEqual(MIB);
  });

  test('returns what its decoded image does not need, and all of it with the response', async () => {
    const body = JSON.stringify({ image_base64: Buffer.alloc(30_000, 1).toString('base64') });
    const headers = [JSON_TYPE, `Content-Length: ${body.length}`, keyOf('a'), 'Connection: close'];
    const raw = await send('/image', headers, body);
    await expect.poll(() => server.figures().bodyBytes).toBe(30_000);
    finish();
    expect(await raw.closed).toContain(' 200 ');
    expect(server.figures().bodyBytes).toBe(0);
  });

  test('with a streamed form takes memory for the file that is arriving', async () => {
    const head = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 999999'];
    const part = '--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n';
    await send('/files', [...head, keyOf('a')], `${part}${'x'.repeat(10_000)}`);
    await expect.poll(() => server.figures().bodyBytes).toBeGreaterThan(10_000);
    expect(server.figures().bodyBytes).toBeLessThan(30_000);
  });

  test('whose body is invalid returns its memory and its quota, but not its rate', async () => {
    for (const body of ['{', '{"image_base64":"!"}', `[${'1,'.repeat(250_000)}1]`]) {
      const headers = [JSON_TYPE, `Content-Length: ${body.length}`, keyOf('a')];
      const raw = await send('/image', headers, body);
      await expect.poll(raw.text).toMatch(/^HTTP\/1.1 4(00|13) /);
    }
    expect(server.figures().bodyBytes).toBe(0);
    expect(server.admitted).toEqual({ requests: { a: 3 }, refunds: { a: 3 } });
  });

  test('may have as many escapes as base64 has, but not more', async () => {
    finish();
    const ask = async (escapes: number) => {
      const body = `{"image_base64":"${'\\/'.repeat(escapes)}"}`;
      const headers = [JSON_TYPE, `Content-Length: ${body.length}`, keyOf('a')];
      const raw = await send('/image', headers, body);
      await expect.poll(raw.text).toMatch(/\}$/);
      return raw.text();
    };
    expect(await ask(600_000)).toContain(' 200 ');
    expect(await ask(1_100_000)).toContain('The JSON has more than 1000000 escapes');
  });
});

describe('a response', () => {
  beforeEach(start);
  afterEach(stop);

  /** Sends a request whose response nobody reads yet. */
  async function sendUnread(line: string, headers: readonly string[] = []): Promise<Raw> {
    const raw = await open(server.url);
    raw.socket.pause();
    raw.socket.write(requestText(line, headers));
    opened.push(raw);
    return raw;
  }

  test('takes memory until it is read, and the next file of its client waits for it', async () => {
    const unread: Raw[] = [];
    for (let count = 1; count <= 4; count++) {
      unread.push(await sendUnread('POST /file', [keyOf('slow')]));
      await expect.poll(() => server.admitted.requests.slow).toBe(count);
    }
    await expect.poll(() => server.figures().bodyBytes).toBe(FILE_BYTES);
    const honest = await send('/file', [keyOf('honest'), 'Connection: close']);
    expect(await honest.closed).toContain(' 200 ');
    expect(loaded).toBe(2);
    for (let count = 3; count <= 5; count++) {
      unread.shift()?.socket.destroy();
      await expect.poll(() => loaded).toBe(count);
    }
    unread[0]?.socket.resume();
    await expect.poll(() => server.figures().bodyBytes).toBe(0);
    expect(unread[0]?.text()).toContain(' 200 ');
  });

  test('to a stranger is rejected if another one takes the memory, and bodies are not', async () => {
    finish();
    await sendUnread('GET /text');
    await expect.poll(() => server.figures().bodyBytes).toBeGreaterThan(2 * TEXT_BYTES);
    const rejected = await open(server.url, requestText('GET /text', ['Connection: close']));
    expect(await rejected.closed).toMatch(/ 503 .*retry-after: 1\r\n/is);
    const headers = [JSON_TYPE, 'Content-Length: 2', 'Connection: close'];
    const signIn = await send('/sign-in', headers, '{}');
    expect(await signIn.closed).toContain(' 200 ');
    const honest = await send('/json', [...headers, keyOf('honest')], '{}');
    expect(await honest.closed).toContain(' 200 ');
  });
});
