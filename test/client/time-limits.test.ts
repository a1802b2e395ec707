import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { all, failure, impatient, scripted } from './scripted.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const row = (number: number): string => `${JSON.stringify({ row: number, status: 'succeeded' })}\n`;

test('a download that says nothing for too long goes on anew', async () => {
  const server = await scripted(({ url }, response) => {
    response.writeHead(200, NDJSON);
    if (url?.endsWith('after=0')) response.end(row(1));
    else response.write(row(0));
  });
  // A busy machine may be too slow for the limit more than once.
  const retry = { mostAttempts: 100 };
  const { client, waits } = impatient(server, { attemptTimeoutMillis: 100, retry });
  expect((await all(client.batches.results('b'))).map((line) => line.row)).toEqual([0, 1]);
  expect(waits[0]).toBe(500);
});

/** A stream that the test says something in, and that ends with the request. */
function plantStream() {
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const writer = stream.writable.getWriter();
  let begun = () => {};
  const isOpen = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const answer: typeof fetch = async (_address, init) => {
    init?.signal?.addEventListener('abort', () => void writer.abort(init.signal?.reason));
    begun();
    return new Response(stream.readable, { headers: NDJSON });
  };
  return { answer, isOpen, say: (text: string) => void writer.write(Buffer.from(text)) };
}

test('a stream may last while it says something, and no longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { answer, isOpen, say } = plantStream();
  const client = createClient({
    ...{ baseUrl: 'https://gateway.example', fetch: answer, retry: { mostAttempts: 1 } },
  });
  const rows = client.batches.results('b');
  for (const number of [0, 1, 2]) {
    const next = rows.next();
    await isOpen;
    vi.advanceTimersByTime(40_000);
    say(row(number));
    expect((await next).value).toMatchObject({ row: number });
  }
  const next = failure(rows.next());
  vi.advanceTimersByTime(60_000);
  expect(await next).toMatchObject({ type: 'timeout' });
});

test('a stream that is not read leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answers = [new Response(null, { status: 204 }), new Response('<html>')];
  const client = createClient({
    ...{
      baseUrl: 'https://gateway.example',
      fetch: async () => answers.shift() ?? Response.error(),
    },
  });
  expect(await all(client.batches.events('b'))).toEqual([]);
  expect(await failure(all(client.batches.results('b')))).toMatchObject({ type: 'damaged-answer' });
  expect(vi.getTimerCount()).toBe(0);
});
