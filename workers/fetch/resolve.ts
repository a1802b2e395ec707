import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

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
