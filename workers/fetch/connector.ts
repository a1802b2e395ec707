import { once } from 'node:events';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AddressRule } from '../../src/platform/links/addresses.ts';
import { FetchError, type FetchErrorReason } from '../../src/platform/links/fetch-error.ts';
import { endWhenRead } from './end-when-read.ts';
import type { Resolve } from './resolve.ts';

interface ConnectorDeps {
  rule: AddressRule;
  resolve: Resolve;
  /** Limit for DNS, TCP and TLS together. */
  connectMillis: number;
  /** How soon at the earliest a host name is rejected. */
  rejectionMillis: number;
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
  deps: ConnectorDeps,
): Promise<Socket> {
  const { connectMillis, ca } = deps;
  const signal = AbortSignal.timeout(connectMillis);
  const isSecure = protocol === 'https:';
  const portNumber = Number(port || (isSecure ? 443 : 80));
  const addresses = await resolveAllowed(hostname, portNumber, deps, signal);

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
    allowHalfOpen: true,
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
    endWhenRead(socket);
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new FetchError('timeout');
    throw new FetchError(isConnected ? 'tls' : 'connect', { cause: error });
  }
}

/** What would tell strangers which names exist inside the operator's network. */
const SECRET: readonly FetchErrorReason[] = ['dns', 'private-address'];

/**
 * Resolves a host to addresses that the rule allows. A name without an address and one with a private address are
 * rejected alike, and after the same time.
 * @throws FetchError `private-address` for an address; `dns` for a name, with the reason as its cause; `port`, `timeout`
 */
async function resolveAllowed(
  hostname: string,
  port: number,
  { rule, resolve, rejectionMillis }: ConnectorDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isIP(hostname)) {
    rule(hostname, port);
    return [hostname];
  }
  const startedAt = performance.now();
  try {
    const addresses = await resolveHost(hostname, resolve, signal);
    for (const address of addresses) rule(address, port);
    return addresses;
  } catch (error) {
    if (!(error instanceof FetchError) || !SECRET.includes(error.reason)) throw error;
    await sleep(Math.max(0, startedAt + rejectionMillis - performance.now()));
    throw new FetchError('dns', { cause: error });
  }
}

async function resolveHost(hostname: string, resolve: Resolve, signal: AbortSignal) {
  const timeout = once(signal, 'abort').then(() => {
    throw new FetchError('timeout');
  });
  const resolved = resolve(hostname, signal).catch((error) => {
    throw new FetchError('dns', { cause: error });
  });
  const addresses = await Promise.race([resolved, timeout]);
  if (addresses.length === 0) throw new FetchError('dns');
  return addresses;
}
