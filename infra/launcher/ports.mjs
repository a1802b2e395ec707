// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Listens on a port and closes it again.
 * @param {number} port 0 for any free one
 * @param {string} host
 * @returns {Promise<number>} the port
 * @throws with the system's error code: EADDRINUSE, EACCES, ENOTFOUND, …
 */
async function tryPort(port, host) {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return address.port;
}

/** @param {string} [host] */
export const freePort = (host = '127.0.0.1') => tryPort(0, host);

/**
 * Returns the system's error code if this port cannot be listened on, else undefined.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | undefined>}
 */
export async function portErrorCode(port, host) {
  try {
    await tryPort(port, host);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
