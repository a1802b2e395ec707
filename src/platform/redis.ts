import { readFileSync } from 'node:fs';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './log.ts';
import { StartError } from './start-error.ts';

/**
 * The prefix of every key. The braces put all keys in one hash slot, which lets scripts over several
 * keys work on a Redis Cluster.
 */
export const PREFIX = '{selvage}';

/** An error reply by its codes, alone or as a script of Redis 6 or older wraps it. */
const reply = (codes: string): RegExp => new RegExp(`(?:^|[-:] ?)(?:${codes})\\b`);

/** Of a server that is not the primary, or not yet. */
const DEMOTED = reply('READONLY|UNBLOCKED|LOADING|MASTERDOWN');
const FULL = reply('OOM');
/** About the state of Redis or the rights to it, not the command. */
const SERVER_ERRORS = reply(
  'MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOAUTH|WRONGPASS|NOPERM|ERR max number of clients reached',
);
/** The client's messages about a lost connection; it has no error classes for them. */
const CONNECTION_ERRORS =
  /^(Connection is (closed|aborted|discarded)|Command timed out|Socket timeout|connect ETIMEDOUT|Stream isn't writeable|Reached the max retries|Cluster is|No master node|Node is disconnected|None of startup nodes|Failed to refresh slots|Too many Cluster redirections|Command aborted due to connection close|No (sharded )?subscriber for)/;

/** Returns whether a server rejected a command because it is not the primary: another connection may lead to that. */
export const isDemoted = (error: Error): boolean => DEMOTED.test(error.message);

/** Returns an error with those it stands for: a transaction (EXECABORT) does not say why its commands were rejected. */
const withCauses = (error: unknown): readonly Error[] => {
  if (!(error instanceof Error)) return [];
  const causes: unknown = Reflect.get(error, 'previousErrors');
  return [error, ...(Array.isArray(causes) ? causes : [])];
};

/** Returns whether Redis or the connection failed, not the command: it may succeed later. */
export const isRedisError = (error: unknown): boolean =>
  withCauses(error).some(({ message }) =>
    [DEMOTED, FULL, SERVER_ERRORS, CONNECTION_ERRORS].some((pattern) => pattern.test(message)),
  );

/** Returns whether Redis has no memory left, and so rejects every write. */
export const isRedisFull = (error: unknown): boolean =>
  withCauses(error).some(({ message }) => FULL.test(message));

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
function addressOf(settings: RedisSettings): Omit<RedisOptions, 'replyMapping'> {
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

// Short: requests wait while Redis restarts, or another one takes over.
const retryStrategy = (attempt: number) => Math.min(50 * attempt, 200);

type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

const RECONNECT: ServerOptions = {
  retryStrategy,
  sentinelRetryStrategy: retryStrategy,
  connectTimeout: 5000,
  disconnectTimeout: 500,
};
const CLUSTER: ClusterOptions = {
  clusterRetryStrategy: retryStrategy,
  // Finds out who took over where nobody is left to say MOVED.
  slotsRefreshInterval: 2000,
};

/** What a connection is used for. */
interface Use {
  server: ServerOptions;
  cluster: ClusterOptions;
}

/**
 * For commands that a request waits for: while Redis is unavailable they fail at once, instead of queueing up and being
 * sent when nothing waits any more.
 */
const COMMANDS: Use = {
  server: {
    ...RECONNECT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: 2000,
    // A server that vanished with its host closes no connection.
    socketTimeout: 4000,
    reconnectOnError: isDemoted,
  },
  // A command that may have been run is not sent again.
  cluster: { ...CLUSTER, enableOfflineQueue: false, retryDelayOnFailover: 0 },
};

/** For blocking reads and subscriptions, which wait for Redis to come back. */
const WAITING: Use = {
  server: {
    ...RECONNECT,
    maxRetriesPerRequest: null,
    // BullMQ blocks for 10 s at most.
    socketTimeout: 15_000,
    // Sent again on the new connection: what was rejected was not run.
    reconnectOnError: (error) => isDemoted(error) && 2,
  },
  cluster: CLUSTER,
};

/** How often a connection asks whether its server is still the primary. */
const ROLE_MILLIS = 3000;

/** Leaves servers that are no primary: those a connection is led to, and those that are demoted while it says nothing. */
function stayWithPrimary(redis: Redis): void {
  const connector: unknown = Reflect.get(redis, 'connector');
  if (!(connector instanceof AbstractConnector)) throw new Error('ioredis has changed');
  const check = connector.check.bind(connector);
  connector.check = (info: { role?: string }) => {
    if (info.role !== 'slave') return check(info);
    redis.emit('error', new Error('this Redis is a replica, not the primary'));
    return false;
  };
  let isAsking = false;
  async function ask(): Promise<void> {
    if (isAsking || redis.status !== 'ready') return;
    isAsking = true; // a blocked connection answers later
    const info = await redis.info('replication').catch(() => '');
    isAsking = false;
    if (/^role:slave/m.test(info)) redis.disconnect(true);
  }
  let asking: NodeJS.Timeout | undefined;
  redis.on('ready', () => {
    asking = setInterval(() => void ask(), ROLE_MILLIS).unref();
  });
  redis.on('close', () => clearInterval(asking));
}

/**
 * Lets `connect` of a cluster end when a later attempt has connected. That of ioredis never ends if the nodes answer but
 * the cluster is not ready, as in a failover: BullMQ waits for it, and would take no job of that queue any more.
 */
function endConnecting(cluster: Cluster): void {
  const connect = cluster.connect.bind(cluster);
  cluster.connect = () =>
    new Promise((resolve, reject) => {
      const onReady = () => end(resolve);
      const onEnd = () => {
        // Not the end before this attempt, which is told later.
        if (cluster.status === 'end') end(() => reject(new Error('Connection is closed.')));
      };
      const end = (settle: () => void) => {
        cluster.off('ready', onReady).off('end', onEnd);
        settle();
      };
      cluster.on('ready', onReady).on('end', onEnd);
      connect().then(onReady, (error) => end(() => reject(error)));
    });
}

/** Prepares a connection and all that are made after it, as BullMQ does for blocking. */
function prepare<Connection extends Redis | Cluster>(connection: Connection): Connection {
  if (connection instanceof Redis) stayWithPrimary(connection);
  else if (connection instanceof Cluster) endConnecting(connection);
  const duplicate = connection.duplicate as (...args: unknown[]) => Connection;
  const prepared = (...args: unknown[]) => prepare(duplicate.apply(connection, args));
  return Object.assign(connection, { duplicate: prepared });
}

function open({ server, cluster }: Use, where: RedisSettings | string, log: Logger): Redis {
  const settings = typeof where === 'string' ? { REDIS_URL: where } : where;
  const nodes = settings.REDIS_CLUSTER;
  const { host = '', port = 0, ...access } = addressOf(settings);
  const connection = nodes
    ? // An address that a certificate names, not what it resolves to.
      new Cluster([...nodes], {
        ...cluster,
        ...(access.tls && { dnsLookup: (name, done) => done(null, name) }),
        redisOptions: { ...server, ...access },
      })
    : new Redis({ ...server, ...access, host, port });
  // An `error` event without a listener would end the process.
  const warn = (error: Error) => log.warn({ reason: error.message }, 'redis connection error');
  for (const event of ['error', 'sentinelError', 'node error']) connection.on(event, warn);
  // A cluster has all that is used here; its type differs in what is not.
  return prepare(connection) as unknown as Redis;
}

/** Opens a connection for commands that a request waits for. @param where the settings, or the URL of a single Redis */
export const commandConnection = (where: RedisSettings | string, log: Logger): Redis =>
  open(COMMANDS, where, log);

export const blockingConnection = (where: RedisSettings | string, log: Logger): Redis =>
  open(WAITING, where, log);

/** Rejects if Redis does not respond, or takes no writes: it is full, read-only or cannot save. */
export async function checkWrites(redis: Redis): Promise<void> {
  await redis.set(`${PREFIX}:ready`, '1', 'EX', 60);
}

/** Resolves when the connection is ready for commands. Rejects with the signal's reason. */
export async function untilReady(redis: Redis, signal: AbortSignal): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    redis.once('ready', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
