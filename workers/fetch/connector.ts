import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AddressRule } from './addresses.ts';
import { FetchError } from './fetch-error.ts';

/** Finds every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Asks the operating system, hosts file included. */
export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export interface ConnectorDeps {
  rule: AddressRule;
  resolve: Resolve;
  /** For name, TCP and TLS together. */
  connectMillis: number;
  /** Certificate authorities in PEM, trusted instead of those that Node knows. */
  ca?: string;
}

/**
 * Makes connections for undici. A name is resolved once, every address of it is checked, and the
 * socket can reach nothing else; TLS still speaks for the name. An IP literal never gets to a
 * `lookup`, so it is checked here, where every connection passes.
 */
export function pinningConnector(deps: ConnectorDeps): buildConnector.connector {
  return (target, callback) => {
    connectPinned(target, deps).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };
}

async function connectPinned(
  { hostname, protocol, port }: buildConnector.Options,
  { rule, resolve, connectMillis, ca }: ConnectorDeps,
): Promise<Socket> {
  const signal = AbortSignal.timeout(connectMillis);
  const secure = protocol === 'https:';
  const portNumber = Number(port || (secure ? 443 : 80));
  const addresses = isIP(hostname) ? [hostname] : await addressesOf(hostname, resolve, signal);
  for (const address of addresses) rule(address, portNumber);

  const pinned: LookupFunction = (_hostname, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  const route = {
    host: hostname,
    port: portNumber,
    lookup: pinned,
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  };
  const name = isIP(hostname) ? {} : { servername: hostname };
  const socket = secure
    ? tlsConnect({ ...route, ...name, ...(ca && { ca }), ALPNProtocols: ['http/1.1'] })
    : netConnect(route);
  let reached = false;
  socket.once('connect', () => {
    reached = true;
  });
  try {
    await once(socket, secure ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new FetchError('timeout');
    throw new FetchError(reached ? 'tls' : 'connect', { cause: error });
  }
}

async function addressesOf(hostname: string, resolve: Resolve, signal: AbortSignal) {
  const late = once(signal, 'abort').then(() => {
    throw new FetchError('timeout');
  });
  const found = resolve(hostname).catch((error) => {
    throw new FetchError('dns', { cause: error });
  });
  const addresses = await Promise.race([found, late]);
  if (addresses.length === 0) throw new FetchError('dns');
  return addresses;
}
