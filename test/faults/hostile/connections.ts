import type { Attack } from './attack.ts';
import { holdOpen } from './hold-open.ts';

const MAX_CONNECTIONS = 50;
const COUNT = 60;
/** Longer than a call of the honest client may take. */
const MAX_MILLIS = 40_000;

/** Of the one request with a body that is read without a key. */
const INCOMPLETE = [
  'POST /console/session HTTP/1.1',
  'Host: gateway',
  'Content-Type: application/json',
  'Content-Length: 100',
  '',
  '{',
].join('\r\n');

/**
 * The attacker has no key. It holds more connections than a gateway accepts, each with a request whose body never
 * comes, and opens a new one for each that is closed. The honest client, which opens a connection for each call, must
 * be served.
 */
export const connections: Attack = {
  name: 'connections',
  does: `${COUNT} connections of at most ${MAX_CONNECTIONS}, each with one byte of a body of 100`,
  settings: { MAX_CONNECTIONS: String(MAX_CONNECTIONS) },
  async play({ gateway, honest, scale, signal }) {
    const holding = { count: COUNT, bytes: INCOMPLETE, reopen: true, signal };
    const held = await holdOpen(gateway.url, holding);
    await honest.untilServed(scale(30, 4), MAX_MILLIS);
    held.close();
    return [];
  },
};
