import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Stack } from '../support/stack.ts';

/** The memory one idle connection may cost the gateway, bytes; about 4 KB were measured. */
const MAX_BYTES_EACH = 40_000;

const figure = (text: string, name: RegExp): number =>
  z.coerce.number().parse(name.exec(text)?.[1]);

/** Uses a new connection: a pooled one may be the idle one that was just closed. */
async function ask(url: string): Promise<{ status: number | undefined; text: string }> {
  const request = get(url, { agent: false });
  const response: IncomingMessage = (await once(request, 'response'))[0];
  return { status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() };
}

async function figuresOf(url: string) {
  const { text } = await ask(`${url}/metrics`);
  return {
    residentBytes: figure(text, /^process_resident_memory_bytes (\d+)$/m),
    /** Including those to Redis. */
    sockets: figure(text, /^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m),
  };
}

async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

/** Opens connections that send nothing, a hundred at a time. */
async function openMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => openIdle(port)))));
  return sockets;
}

/** @param most connections that the gateway holds at once, a multiple of 100 */
export function idleCases({ url }: Stack, most: number): void {
  test(`${most} idle connections cost little, block no other client and leave nothing behind`, async () => {
    const before = await figuresOf(url);
    const first = await openMany(Number(new URL(url).port), most);
    const oldest = first.slice(0, 50);
    const gone = Promise.all(oldest.map((socket) => once(socket.resume(), 'close')));
    const full = await figuresOf(url);
    expect(full.sockets).toBeGreaterThan(0.95 * most);
    const bytesEach = (full.residentBytes - before.residentBytes) / most;
    console.info(`${most} idle connections: ${Math.round(bytesEach)} bytes each`);
    expect(bytesEach).toBeLessThan(MAX_BYTES_EACH);
    // Each further connection closes the one that has been idle for longest.
    const more = await openMany(Number(new URL(url).port), 100);
    await gone;
    expect((await ask(`${url}/look/v1/params`)).status).toBe(200);
    expect((await figuresOf(url)).sockets).toBeLessThanOrEqual(most + before.sockets + 10);
    for (const socket of [...first, ...more]) socket.destroy();
    await expect.poll(async () => (await figuresOf(url)).sockets).toBeLessThan(before.sockets + 20);
    expect((await ask(`${url}/readyz`)).status).toBe(200);
  });
}
