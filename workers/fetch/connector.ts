import { AssertionError } from 'node:assert';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import { FetchError, type FetchErrorReason } from '../../src/platform/links/fetch-error.ts';
import type { AddressRule } from '../../src/platform/links/link-rule.ts';
import { hasCode } from '../../src/platform/system-error.ts';

/** How soon it is noticed that a reader went on. */
const RETRY_MILLIS = 20;

type Emit = (event: string, ...args: unknown[]) => boolean;

/** Undici takes this code for the end of a response without a length, of which the rest is lost. */
const RESET = 'ECONNRESET';

/**
 * Ends a connection of undici only when its response was read, and fails a response whose connection is reset. If a
 * server closes the connection while a response waits for its reader, undici's listener throws an `AssertionError`,
 * which nothing could catch: the process would end (docs/adr/0073-connections-end-when-read.md).
 * @param socket with `allowHalfOpen`, else it closes by itself after its end
 */
function endWhenRead(socket: Socket): void {
  const emit: Emit = socket.emit.bind(socket);

  async function endLater(): Promise<void> {
    await sleep(RETRY_MILLIS);
    if (!socket.destroyed) end();
  }

  function end(): boolean {
    try {
      return emit('end');
    } catch (error) {
      if (!(error instanceof AssertionError)) throw error;
      void endLater();
      return true;
    }
  }

  const emitInstead: Emit = (event, ...args) => {
    if (event === 'end') return end();
    const [error] = args;
    if (event !== 'error' || !hasCode(error, RESET)) return emit(event, ...args);
    return emit('error', new Error('The server reset the connection', { cause: error }));
  };
  socket.emit = emitInstead;
}

/** Resolves a host name to all its addresses, until the signal aborts. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

const HOSTS_FILE = '/etc/hosts';
/** Of the first query to each server; doubled for the second. */
const QUERY = { timeout: 2000, tries: 2 };

/** Returns the names in a hosts file: `address name…`, with comments after `#`. */
const hostsNames = (text: string): string[] =>
  text.split('\n').flatMap((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1));

async function isLocal(hostname: string): Promise<boolean> {
  if (!hostname.includes('.')) return true;
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return hostsNames(text).some((name) => name.toLowerCase() === hostname);
}

/** Asks the DNS servers for addresses of both families, over sockets of its own. */
async function query(
  hostname: string,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const resolver = new Resolver(QUERY);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const ipv4 = resolver.resolve4(hostname);
    const answers = await Promise.allSettled([ipv4, resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    return addresses.length > 0 ? addresses : await ipv4;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Creates a resolver. Names of the hosts file and names without a dot, which may have a search domain, are left to the
 * operating system. All others are asked of the DNS servers here: the operating system's resolver occupies a thread
 * until it gives up, and two names whose servers do not answer stop it for everyone.
 * @param servers the system's DNS servers by default
 */
export const createResolve =
  (servers?: readonly string[]): Resolve =>
  async (hostname, signal) =>
    (await isLocal(hostname))
      ? (await lookup(hostname, { all: true })).map(({ address }) => address)
      : query(hostname, signal, servers);

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
