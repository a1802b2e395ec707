// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Listens for a moment.
 * @param {number} port 0 for any free one
 * @param {string} host
 * @returns {Promise<number>} the port
 * @throws with the code of the system: EADDRINUSE, EACCES, ENOTFOUND, …
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
 * Why this port cannot be listened on, as the system's code, or nothing where it can.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | undefined>}
 */
export async function portFault(port, host) {
  try {
    await tryPort(port, host);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
