import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../support/free-port.ts';
import { runProgram } from '../support/processes.ts';
import { startRedis } from '../support/redis-server.ts';

/** A proxy that, once told, serves new connections alone: those it had say nothing any more, and cannot come back. */
async function startProxy(targetPort: number) {
  const old = new Set<Socket>();
  const firstWords = new Map<Socket, string>();
  let isStuck = false;
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    client.on('data', (bytes) => {
      const words = firstWords.get(client) ?? bytes.toString('latin1');
      firstWords.set(client, words);
      if (isStuck && !words.includes(PROBE)) client.destroy();
      else upstream.write(bytes);
    });
    client.on('close', () => upstream.destroy()).on('error', () => upstream.destroy());
    upstream.on('data', (bytes) => client.write(bytes)).on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    old.add(client);
  });
  const port = await listen(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    stick() {
      isStuck = true;
      for (const socket of old) socket.destroy();
    },
    close: () => void server.close(),
  };
}

/** What a probing connection calls itself. */
const PROBE = 'selvage-probe';

test.concurrent.each([
  ['src/main.ts', 'gateway ready'],
  ['workers/main.ts', 'worker ready'],
])('%s ends if it cannot write to Redis though others can', async (file, ready) => {
  const redis = await startRedis();
  const proxy = await startProxy(redis.port);
  const env = { REDIS_URL: proxy.url, REDIS_STUCK_SECONDS: '3', PORT: '0', WORKER_PORT: '0' };
  const program = runProgram(file, [], { ...env, WORKER_CONCURRENCY: '1' });
  await program.line((line) => line.includes(ready));
  // A Redis that is away for all ends nobody.
  await redis.end();
  const outcome = await Promise.race([
    program.exited,
    new Promise((resolve) => setTimeout(resolve, 8000, 'alive')),
  ]);
  expect(outcome).toBe('alive');
  await redis.start();
  proxy.stick();
  expect(await program.exited).toBe(1);
  expect(program.output()).toMatch(/"level":"fatal".*cannot write to Redis though others can/);
  proxy.close();
  await redis.stop();
});
