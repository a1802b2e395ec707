import { createServer } from 'node:http';
import { listen } from '../../support/free-port.ts';
import { ask, json, jsonOf } from './ask.ts';
import type { Attack, Figure, Scene } from './attack.ts';

/** Another host than the honest client's server, on the same machine. */
const HOST = '127.0.0.2';
const DRIP_MILLIS = 500;

interface Dripper {
  url: string;
  close(): void;
}

/** Starts a server that responds with one byte each half second. */
async function startDripper(): Promise<Dripper> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': 10 * 2 ** 20 });
    const timer = setInterval(() => response.write('.'), DRIP_MILLIS);
    response.once('close', () => clearInterval(timer));
  });
  const port = await listen(server, HOST);
  return {
    url: `http://${HOST}:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface SlowWork {
  name: string;
  does: string;
  /** What of the honest client is measured. */
  measured: 'linkedJob' | 'feed' | 'row';
  promise: string;
  send(scene: Scene, key: string, slow: string): Promise<void>;
}

/** Measures the honest client's work alone, and beside work from a dripping server. */
const slowAttack = ({ name, does, measured, promise, send }: SlowWork): Attack => ({
  name,
  does,
  async play(scene): Promise<Figure[]> {
    const { honest, attackerKey, scale, thrice } = scene;
    const maxMillis = scale(30_000, 15_000);
    // The first one also loads what is loaded once.
    await honest[measured](maxMillis);
    const aloneMillis = await honest[measured](maxMillis);
    const { key } = await attackerKey();
    const dripper = await startDripper();
    await send(scene, key, dripper.url);
    const found = await honest[measured](maxMillis);
    dripper.close();
    return [{ promise, found, max: thrice(aloneMillis), unit: 'ms' }];
  },
});

/**
 * The attacker has one key of 60 requests a minute and a server that sends a byte each half second. Its work must not
 * hold what the honest client's work needs: beside it, that takes at most three times as long as alone.
 */
export const SLOW_SOURCES: readonly Attack[] = [
  slowAttack({
    name: 'slow-pictures',
    does: 'six jobs whose picture comes byte by byte',
    measured: 'linkedJob',
    promise: "the honest client's job by URL",
    async send({ gateway }, key, slow) {
      for (let i = 0; i < 6; i++)
        await ask(`${gateway.url}/intake/v1/jobs`, {
          ...json({ imageUrl: `${slow}/${i}.jpg` }),
          key,
        });
    },
  }),
  slowAttack({
    name: 'slow-feeds',
    does: 'two feeds that come byte by byte',
    measured: 'feed',
    promise: "the honest client's feed",
    async send({ gateway }, key, slow) {
      for (let i = 0; i < 2; i++)
        await ask(`${gateway.url}/intake/v1/feeds`, { ...json({ url: `${slow}/${i}.csv` }), key });
    },
  }),
  slowAttack({
    name: 'slow-rows',
    does: '32 rows of a batch whose pictures come byte by byte',
    measured: 'row',
    promise: "the honest client's row",
    async send({ gateway }, key, slow) {
      const { id } = jsonOf(await ask(`${gateway.url}/intake/v1/batches`, { ...json({}), key }));
      const rows = Array.from({ length: 32 }, (_, i) =>
        JSON.stringify({ customId: `${i}`, imageUrl: `${slow}/${i}.jpg` }),
      );
      const path = `${gateway.url}/intake/v1/batches/${id}`;
      const body = rows.join('\n');
      await ask(`${path}/items`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
        key,
      });
      await ask(`${path}/seal`, { method: 'POST', key });
    },
  }),
];
