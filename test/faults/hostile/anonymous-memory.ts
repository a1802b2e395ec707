import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { memoryFigure, responseFigure } from './figures.ts';
import { holdOpen } from './hold-open.ts';

const BODY_BYTES = 2 ** 20;
const PATHS = ['/console/session', '/there/is/nothing'];

/** A request whose last byte is missing: what the gateway reads of it, it holds. */
const incomplete = (path: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        'Host: gateway',
        'Content-Type: application/json',
        `Content-Length: ${BODY_BYTES}`,
        '',
        '',
      ].join('\r\n'),
    ),
    Buffer.alloc(BODY_BYTES - 1, '{"key": "aaaa"  '),
  ]);

/**
 * The attacker has no key. It sends bodies of 1 MiB to the console's sign-in and to unknown addresses, and the last
 * byte never. The gateway's memory must stay below the ceiling of bodies in flight, and the honest client be served.
 */
export const anonymousMemory: Attack = {
  name: 'anonymous-memory',
  does: 'bodies of 1 MiB without a key, on up to 1,000 connections',
  async play(scene) {
    const { gateway, watch, scale, signal } = scene;
    const count = scale(1000, 600) / PATHS.length;
    const held = await Promise.all(
      PATHS.map((path) =>
        holdOpen(gateway.url, { count, bytes: incomplete(path), reopen: false, signal }),
      ),
    );
    await pause(scale(10_000, 2000), undefined, { signal });
    for (const { close } of held) close();
    const lap = await watch.lap();
    return [
      memoryFigure(scene, 'bodies without a key', lap),
      responseFigure(scene, 'the same', lap.gateway),
    ];
  },
};
