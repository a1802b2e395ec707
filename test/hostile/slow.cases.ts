import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Stack } from '../support/stack.ts';
import { requestOf } from './wire.ts';

/** Connections of each kind; 200 in total. */
const COUNT = 25;

interface Slow {
  socket: Socket;
  /** Resolves with everything the server sent when it has closed the connection. */
  over: Promise<string>;
}

function openSlowly(url: string, opening: string): Slow {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (more) => {
    text += more;
  });
  socket.on('error', () => {}); // the connection is closed during a write
  socket.write(opening);
  return { socket, over: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

/** Opens many connections that each send one byte at a time, until the server has closed all of them. */
async function dripAll(url: string, opening: string, byte: string): Promise<string[]> {
  const slow = Array.from({ length: COUNT }, () => openSlowly(url, opening));
  const drip = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write(byte);
  }, 200);
  const texts = await Promise.all(slow.map(({ over }) => over));
  clearInterval(drip);
  return texts;
}

/** Sends ordinary requests until the other work is over; returns every status received. */
async function statusesDuring(url: string, work: Promise<unknown>): Promise<Set<number>> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  const seen = new Set<number>();
  while (!isOver) {
    const response = await fetch(`${url}/look/v1/params`);
    await response.arrayBuffer();
    seen.add(response.status);
  }
  return seen;
}

/** Slow clients, against a gateway whose `REQUEST_TIMEOUT_SECONDS` is short. */
export function slowCases({ url }: Stack, key: string): void {
  const keyed = `Authorization: Bearer ${key}`;
  const json = 'Content-Type: application/json';

  // biome-ignore format: a table reads best aligned
  const WAYS: readonly [what: string, opening: string, byte: string, cut: RegExp][] = [
    ['nothing at all', '', '', /^HTTP\/1.1 408 /],
    ['a request line', 'G', 'G', /^HTTP\/1.1 4(08|00) /],
    ['headers', 'GET /livez HTTP/1.1\r\nX-A: ', 'a', /^HTTP\/1.1 408 /],
    ['JSON', requestOf('POST /look/v1/targets', ['Host: x', keyed, json, 'Content-Length: 9999'], '{'), ' ', /^HTTP\/1.1 408 /],
    ['chunks', requestOf('POST /look/v1/targets', ['Host: x', keyed, json, 'Transfer-Encoding: chunked'], ''), '1', /^HTTP\/1.1 4(08|00) /],
    ['a form', requestOf('POST /bg/v1/background-removals', ['Host: x', keyed, 'Content-Type: multipart/form-data; boundary=b', 'Content-Length: 99999'], '--b\r\n'), 'a', /^HTTP\/1.1 408 /],
    ['a body to an unknown URL', requestOf('POST /none', ['Host: x', json, 'Content-Length: 9999'], '{'), ' ', /^HTTP\/1.1 40[48] /],
    ['a body without a key', requestOf('POST /look/v1/targets', ['Host: x', json, 'Content-Length: 9999'], '{'), ' ', /^HTTP\/1.1 401 /],
  ];

  test('two hundred clients that send byte by byte are disconnected, and others are served meanwhile', async () => {
    const slow = WAYS.map(([, opening, byte]) => dripAll(url, opening, byte));
    expect([...(await statusesDuring(url, Promise.all(slow)))]).toEqual([200]);
    for (const [at, [what, , , cut]] of WAYS.entries()) {
      const texts = (await slow[at]) ?? [];
      expect(texts.length, what).toBe(COUNT);
      expect(texts.filter((text) => !cut.test(text)).slice(0, 1), what).toEqual([]);
      const others = texts.filter((text) => !text.includes('application/problem+json'));
      expect(others.slice(0, 1), what).toEqual([]);
    }
  });

  test('a client that sends requests and reads no response is disconnected', async () => {
    const opening = requestOf('GET /openapi.json', ['Host: x'], '').repeat(20);
    const hoarders = Array.from({ length: 5 }, () => openSlowly(url, opening));
    // It reads nothing, so it notices the disconnect only by writing.
    const drip = setInterval(() => {
      for (const { socket } of hoarders) if (socket.writable) socket.write('G');
    }, 100);
    for (const { socket } of hoarders) socket.pause();
    await Promise.all(hoarders.map(({ over }) => over));
    clearInterval(drip);
    expect(hoarders.map(({ socket }) => socket.destroyed)).toEqual(Array(5).fill(true));
  });

  test('a connection between requests stays open', async () => {
    const { socket, over } = openSlowly(url, requestOf('GET /livez', ['Host: x'], ''));
    await new Promise((resolve) => socket.once('data', resolve));
    // As long as it takes to disconnect others.
    await openSlowly(url, '').over;
    socket.write(requestOf('GET /livez', ['Host: x', 'Connection: close'], ''));
    expect((await over).match(/HTTP\/1.1 200 /g)).toHaveLength(2);
  });
}
