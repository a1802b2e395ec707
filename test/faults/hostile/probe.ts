import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks `/livez` of every URL in its arguments each 20 ms, in a process of its own: the attacker's CPU time does
 * not delay it. Responds to each message with the times since the message before.
 */
const INTERVAL_MILLIS = 20;

interface Probed {
  url: string;
  agent: Agent;
  millis: number[];
  askedAt: number;
}

const probed = process.argv.slice(2).map(
  (url): Probed => ({
    url,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    millis: [],
    askedAt: performance.now(),
  }),
);

/** A stall delays all requests that would have been sent during it, not only one. */
function note({ millis }: Probed, took: number): void {
  for (let left = took; left > 0; left -= INTERVAL_MILLIS) millis.push(left);
}

async function askForever(target: Probed): Promise<never> {
  for (;;) {
    target.askedAt = performance.now();
    // A refused connection is the subject of another figure.
    await once(get(`${target.url}/livez`, { agent: target.agent }), 'response').then(
      ([response]: IncomingMessage[]) => response?.toArray(),
      () => undefined,
    );
    note(target, performance.now() - target.askedAt);
    await pause(INTERVAL_MILLIS);
  }
}

process.on('message', () => {
  const laps = probed.map((target) => {
    const pending = performance.now() - target.askedAt;
    if (pending > INTERVAL_MILLIS) note(target, pending);
    return target.millis.splice(0);
  });
  process.send?.(laps);
});
process.on('disconnect', () => process.exit());
for (const target of probed) void askForever(target);
process.send?.('ready');
