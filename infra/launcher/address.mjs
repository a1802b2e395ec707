// @ts-check
import { freePort, portFault } from './ports.mjs';
import { Refusal } from './start-error.mjs';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;
const DEFAULT_WORKER_PORT = 8081;

/** What to say of a port that cannot be listened on, by the system's code. */
const PORT_FAULTS = new Map([
  ['EADDRINUSE', 'is taken. Stop what uses it, or choose another: PORT=8090 npm start'],
  ['EACCES', 'may not be used by this user. Choose one above 1023: PORT=8080 npm start'],
]);

/** Addresses that mean every interface, and how such a server is reached from here. */
const REACHED_AT = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * Where the gateway will be, by HOST and PORT (0: any free one).
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<{ host: string, port: number, url: string }>}
 */
export async function gatewayAddress({ HOST: host = DEFAULT_HOST, PORT }) {
  const wanted = PORT === undefined ? DEFAULT_PORT : Number(PORT);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
    throw new Refusal(`PORT must be a number from 0 to 65535, not "${PORT}".`);
  }
  const port = wanted || (await freePort());
  const reached = REACHED_AT.get(host) ?? host;
  return { host, port, url: `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}` };
}

/**
 * @param {number} port
 * @param {string} host
 * @throws Refusal where the gateway could not listen there
 */
export async function refuseTakenPort(port, host) {
  const fault = await portFault(port, host);
  if (fault === undefined) return;
  const known = PORT_FAULTS.get(fault) ?? `cannot be listened on (${fault}). Check HOST and PORT.`;
  throw new Refusal(`Port ${port} on ${host} ${known}`);
}

/**
 * Where the worker answers `/metrics`, where nobody chose: nobody waits there, so any port will do.
 * @param {number} gatewayPort
 */
export async function anyWorkerPort(gatewayPort) {
  const fault = await portFault(DEFAULT_WORKER_PORT, DEFAULT_HOST);
  const isFree = fault === undefined && gatewayPort !== DEFAULT_WORKER_PORT;
  return isFree ? DEFAULT_WORKER_PORT : freePort();
}
