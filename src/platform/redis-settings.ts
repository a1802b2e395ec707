import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import { StartError } from './start-error.ts';

interface HostPort {
  host: string;
  port: number;
}

/** Where Redis is, by the names of its settings. */
export interface RedisSettings {
  /** User, password, database and, with `rediss://`, TLS; the address too, unless one of the lists below has it. */
  REDIS_URL: string;
  /** What the connection calls itself in `CLIENT LIST`; none by default. No setting. */
  connectionName?: string;
  /** The certificate authority of a `rediss://`, a file in PEM. */
  REDIS_CA_FILE?: string | undefined;
  REDIS_SENTINELS?: readonly HostPort[] | undefined;
  /** What the Sentinels call the primary. */
  REDIS_SENTINEL_NAME?: string | undefined;
  REDIS_SENTINEL_USER?: string | undefined;
  REDIS_SENTINEL_PASSWORD?: string | undefined;
  /** Some nodes of a Redis Cluster. */
  REDIS_CLUSTER?: readonly HostPort[] | undefined;
}

const list = (nodes: readonly HostPort[]): string =>
  nodes.map(({ host, port }) => `${host}:${port}`).join(', ');

/** Describes where Redis is, for messages: without user and password. */
export function describeRedis(settings: RedisSettings): string {
  const { REDIS_SENTINELS: sentinels, REDIS_CLUSTER: nodes } = settings;
  if (sentinels) return `${settings.REDIS_SENTINEL_NAME} by the Sentinels ${list(sentinels)}`;
  return nodes ? `the cluster ${list(nodes)}` : new URL(settings.REDIS_URL).host;
}

function readAuthority(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new StartError(`REDIS_CA_FILE cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the options of a connection to one server that are about where it is and who asks. */
export function addressOf(settings: RedisSettings): Omit<RedisOptions, 'replyMapping'> {
  const { protocol, hostname, port, username, password, pathname } = new URL(settings.REDIS_URL);
  const ca = settings.REDIS_CA_FILE;
  const tls = protocol === 'rediss:' ? { tls: ca ? { ca: readAuthority(ca) } : {} } : {};
  const { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name } = settings;
  return {
    ...tls,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(settings.connectionName && { connectionName: settings.connectionName }),
    db: Number(pathname.slice(1)) || 0,
    ...(sentinels
      ? {
          sentinels: [...sentinels],
          name,
          sentinelUsername: settings.REDIS_SENTINEL_USER,
          sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
          sentinelTLS: tls.tls,
          enableTLSForSentinelMode: protocol === 'rediss:',
        }
      : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 }),
  };
}
