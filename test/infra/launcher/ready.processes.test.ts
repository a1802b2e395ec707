import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { untilReady } from '../../../infra/launcher/ready.mjs';

/** Serves a `/readyz` that is not ready until it is told to be. Returns its URL. */
async function serveReadiness(state: { isReady: boolean }): Promise<string> {
  const server = createServer((_, response) => {
    const detail = 'Not ready: no worker is alive';
    response.writeHead(state.isReady ? 200 : 503).end(JSON.stringify({ detail }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a start that takes long says again and again what is missing, and goes on', async () => {
  const state = { isReady: false };
  const missing: string[] = [];
  await untilReady(
    await serveReadiness(state),
    (text) => {
      missing.push(text);
      state.isReady = missing.length === 3;
    },
    20,
  );
  expect(missing).toEqual(Array(3).fill('Not ready: no worker is alive'));
});

test('a start that is ready in time says nothing', async () => {
  const missing: string[] = [];
  await untilReady(await serveReadiness({ isReady: true }), (text) => missing.push(text), 0);
  expect(missing).toEqual([]);
});
