import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './log.ts';
import { isDemoted } from './redis-errors.ts';
import { addressOf, type RedisSettings } from './redis-settings.ts';

/**
 * The prefix of every key. The braces put all keys in one hash slot, which lets scripts over several
 * keys work on a Redis Cluster.
 */
export const PREFIX = '{selvage}';

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
