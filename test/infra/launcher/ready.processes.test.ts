import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { untilReady } from '../../../infra/launcher/ready.mjs';
import { listen } from '../../support/free-port.ts';

/** Serves a `/readyz` that is not ready until it is told to be. Returns its URL. */
async function serveReadiness(state: { isReady: boolean }): Promise<string> {
  const server = createServer((_, response) => {
    const detail = 'Not ready: no worker is alive';
    response.writeHead(state.isReady ? 200 : 503).end(JSON.stringify({ detail }));
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
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
