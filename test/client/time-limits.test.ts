import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../packages/client/src/client.ts';
import { collect, createTestClient, failure, startScriptedServer } from './scripted-server.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const row = (number: number): string => `${JSON.stringify({ row: number, status: 'succeeded' })}\n`;

test('a download that is silent for too long is resumed', async () => {
  const server = await startScriptedServer(({ url }, response) => {
    response.writeHead(200, NDJSON);
    if (url?.endsWith('after=0')) response.end(row(1));
    else response.write(row(0));
  });
  // A busy machine may be too slow for the limit more than once.
  const retry = { maxAttempts: 100 };
  const { client, waits } = createTestClient(server, { attemptTimeoutMillis: 100, retry });
  expect((await collect(client.batches.results('b'))).map((line) => line.row)).toEqual([0, 1]);
  expect(waits[0]).toBe(500);
});

/** Creates a response stream that the test writes to, and that ends with the request. */
function createStream() {
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const writer = stream.writable.getWriter();
  let setOpen = () => {};
  const isOpen = new Promise<void>((resolve) => {
    setOpen = resolve;
  });
  const respond: typeof fetch = async (_address, init) => {
    init?.signal?.addEventListener('abort', () => void writer.abort(init.signal?.reason));
    setOpen();
    return new Response(stream.readable, { headers: NDJSON });
  };
  return { respond, isOpen, write: (text: string) => void writer.write(Buffer.from(text)) };
}

test('a stream may last as long as it sends something', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { respond, isOpen, write } = createStream();
  const client = createClient({
    baseUrl: 'https://gateway.example',
    fetch: respond,
    retry: { maxAttempts: 1 },
  });
  const rows = client.batches.results('b');
  for (const number of [0, 1, 2]) {
    const next = rows.next();
    await isOpen;
    vi.advanceTimersByTime(40_000);
    write(row(number));
    expect((await next).value).toMatchObject({ row: number });
  }
  const next = failure(rows.next());
  vi.advanceTimersByTime(60_000);
  expect(await next).toMatchObject({ type: 'timeout' });
});

test('a stream that is not read leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const responses = [new Response(null, { status: 204 }), new Response('<html>')];
  const client = createClient({
    baseUrl: 'https://gateway.example',
    fetch: async () => responses.shift() ?? Response.error(),
  });
  expect(await collect(client.batches.events('b'))).toEqual([]);
  const expected = { type: 'damaged-answer' };
  expect(await failure(collect(client.batches.results('b')))).toMatchObject(expected);
  expect(vi.getTimerCount()).toBe(0);
});
