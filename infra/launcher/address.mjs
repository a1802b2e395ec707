// @ts-check
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { freePort, portErrorCode } from './ports.mjs';
import { START, StartError } from './start-error.mjs';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;
const DEFAULT_WORKER_PORT = 8081;

/** Why a port cannot be listened on, by system error code. */
const PORT_ERRORS = new Map([
  [
    'EADDRINUSE',
    `is in use. Stop the process that uses it, or choose another port: PORT=8090 ${START}`,
  ],
  ['EACCES', `is not allowed for this user. Choose one above 1023: PORT=8080 ${START}`],
]);

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** The loopback address for each wildcard address. */
const LOOPBACK_FOR = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * Returns the gateway's address from HOST and PORT (0: any free port).
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<{ host: string, port: number, url: string }>}
 */
export async function gatewayAddress({ HOST: host = DEFAULT_HOST, PORT }) {
  const wanted = PORT === undefined ? DEFAULT_PORT : Number(PORT);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
    throw new StartError(`PORT must be a number from 0 to 65535, not "${PORT}".`);
  }
  const port = wanted || (await freePort());
  const reached = LOOPBACK_FOR.get(host) ?? host;
  return { host, port, url: `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}` };
}

/**
 * @param {number} port
 * @param {string} host
 * @throws StartError if the gateway cannot listen there
 */
export async function requireFreePort(port, host) {
  const code = await portErrorCode(port, host);
  if (code === undefined) return;
  const known = PORT_ERRORS.get(code) ?? `cannot be listened on (${code}). Check HOST and PORT.`;
  throw new StartError(`Port ${port} on ${host} ${known}`);
}

/**
 * Warns if other machines reach the gateway, which has no TLS.
 * @param {string} host
 * @param {import('./terminal.mjs').Terminal} terminal
 */
export async function warnIfReachable(host, terminal) {
  const { address, family } = await lookup(host);
  if (LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')) return;
  terminal.warn(
    `HOST=${host}: other machines reach the gateway, over plain HTTP, in which API keys can be read.\n` +
      'Put a proxy with TLS in front of it, or leave HOST unset.',
  );
}

/**
 * Returns the port of the worker's `/metrics`: the default one, or any free port if that is in use.
 * @param {number} gatewayPort
 */
export async function workerPort(gatewayPort) {
  const code = await portErrorCode(DEFAULT_WORKER_PORT, DEFAULT_HOST);
  const isFree = code === undefined && gatewayPort !== DEFAULT_WORKER_PORT;
  return isFree ? DEFAULT_WORKER_PORT : freePort();
}
