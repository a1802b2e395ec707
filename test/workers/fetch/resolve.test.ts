import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createResolve } from '../../../workers/fetch/connector.ts';

const NEVER = new AbortController().signal;
const HEADER_BYTES = 12;
const TYPE_A = 1;
const TTL_SECONDS = 60;

/** Parses the name of the question of a DNS query, and where its type is. */
function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), typeAt: at + 1 };
}

/** The response to a query: 192.0.2.7, which has no IPv6 address. */
function answer(query: Buffer, typeAt: number): Buffer {
  const hasAnswer = query.readUInt16BE(typeAt) === TYPE_A;
  const head = Buffer.from(query.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x8180, 2); // a response without error
  for (const [i, count] of [1, hasAnswer ? 1 : 0, 0, 0].entries())
    head.writeUInt16BE(count, 4 + 2 * i);
  const question = query.subarray(HEADER_BYTES, typeAt + 4);
  const record = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, TTL_SECONDS, 0, 4, 192, 0, 2, 7];
  return Buffer.concat([head, question, Buffer.from(hasAnswer ? record : [])]);
}

/** Starts a DNS server that does not answer questions for names under `silent.example`. */
async function plantDns() {
  const asked = new Set<string>();
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, typeAt } = readQuestion(query);
    asked.add(name);
    if (!name.endsWith('silent.example')) socket.send(answer(query, typeAt), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { resolve: createResolve([`127.0.0.1:${socket.address().port}`]), asked };
}

test('names whose DNS servers do not answer delay no other name', async () => {
  const { resolve, asked } = await plantDns();
  const abort = new AbortController();
  const ended: unknown[] = [];
  const silent = Array.from({ length: 32 }, (_, i) =>
    resolve(`${i}.silent.example`, abort.signal).catch((error) => ended.push(error.code)),
  );
  await expect.poll(() => asked.size).toBe(32); // all at once
  expect(await resolve('shop.example', NEVER)).toEqual(['192.0.2.7']);
  expect(await resolve('localhost', NEVER)).toContain('127.0.0.1');
  expect(ended).toEqual([]);
  abort.abort();
  await Promise.all(silent);
  expect(new Set(ended)).toEqual(new Set(['ECANCELLED']));
});

test('a name that no server knows rejects', async () => {
  const resolve = createResolve(['127.0.0.1:1']); // nothing listens there
  await expect(resolve('shop.example', NEVER)).rejects.toThrow();
});
