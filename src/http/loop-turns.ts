import { setImmediate } from 'node:timers/promises';

/** Bodies up to this length are read at once, bytes. */
const SMALL_BYTES = 1024 * 1024;

/** There is one event loop, so its turns are given out in one place. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own before a step that reads a large body. Bodies that arrive together
 * would otherwise be read one after the other, with no other request in between.
 * @param bytes of the body
 */
export async function takeLoopTurn(bytes: number): Promise<void> {
  if (bytes <= SMALL_BYTES) return;
  latest = latest.then(() => setImmediate());
  await latest;
}
