import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AddressRule } from './addresses.ts';
import { FetchError } from './fetch-error.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Resolves with the operating system, hosts file included. */
export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

interface ConnectorDeps {
  rule: AddressRule;
  resolve: Resolve;
  /** Limit for DNS, TCP and TLS together. */
  connectMillis: number;
  /** Certificate authorities in PEM, trusted instead of Node's own. */
  ca?: string;
}

/**
 * Makes connections for undici with DNS pinning: it resolves a name once, checks every address, and the
 * socket can connect to those only; TLS still verifies the name. An IP literal never reaches a
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
  const isSecure = protocol === 'https:';
  const portNumber = Number(port || (isSecure ? 443 : 80));
  const addresses = isIP(hostname) ? [hostname] : await resolveHost(hostname, resolve, signal);
  for (const address of addresses) rule(address, portNumber);

  const pinnedLookup: LookupFunction = (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  const options = {
    host: hostname,
    port: portNumber,
    lookup: pinnedLookup,
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  };
  const serverName = isIP(hostname) ? {} : { servername: hostname };
  const socket = isSecure
    ? tlsConnect({ ...options, ...serverName, ...(ca && { ca }), ALPNProtocols: ['http/1.1'] })
    : netConnect(options);
  let isConnected = false;
  socket.once('connect', () => {
    isConnected = true;
  });
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new FetchError('timeout');
    throw new FetchError(isConnected ? 'tls' : 'connect', { cause: error });
  }
}

async function resolveHost(hostname: string, resolve: Resolve, signal: AbortSignal) {
  const timeout = once(signal, 'abort').then(() => {
    throw new FetchError('timeout');
  });
  const resolved = resolve(hostname).catch((error) => {
    throw new FetchError('dns', { cause: error });
  });
  const addresses = await Promise.race([resolved, timeout]);
  if (addresses.length === 0) throw new FetchError('dns');
  return addresses;
}
