/** What one pool allows at a time. */
export interface PoolLimits {
  /** Permits of all clients together. */
  total: number;
  /** Permits of one client. It also gets no more than remain for others, so a newcomer finds one. */
  perClient: number;
  /** Permits of one client for one host. */
  perClientAndHost: number;
  /** Permits of all clients for one host. */
  perHost: number;
  /** Waiting requests of all clients. One client may have a quarter, and no more than remain for others. */
  maxWaiting: number;
  /** How long a request may wait. */
  maxWaitMillis: number;
}

/** What a permit is for. */
interface PoolRequest {
  client: string;
  host: string;
}

/** There is no permit now, and no room to wait for one. */
export class PoolBusy extends Error {
  constructor() {
    super("The client's share of concurrent fetches is in use");
    this.name = 'PoolBusy';
  }
}

interface Waiter {
  host: string;
  grant(): void;
}

interface Client {
  active: number;
  activeByHost: Map<string, number>;
  /** First come, first served, except those whose host is busy. */
  waiting: Set<Waiter>;
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

/**
 * Creates a pool of permits that clients share fairly: within the limits, waiting clients get permits in turn,
 * whatever the number of their requests.
 */
export function createFetchPool(limits: PoolLimits) {
  /** The client whose turn is next comes first. */
  const clients = new Map<string, Client>();
  const activeByHost = new Map<string, number>();
  let active = 0;
  let waiting = 0;

  const canStart = (client: Client, host: string): boolean =>
    client.active < Math.min(limits.perClient, limits.total - active) &&
    (client.activeByHost.get(host) ?? 0) < limits.perClientAndHost &&
    (activeByHost.get(host) ?? 0) < limits.perHost;

  const canWait = (client: Client): boolean =>
    client.waiting.size < Math.min(limits.maxWaiting / 4, limits.maxWaiting - waiting);

  function count(client: Client, host: string, change: 1 | -1): void {
    active += change;
    client.active += change;
    add(client.activeByHost, host, change);
    add(activeByHost, host, change);
  }

  /** Grants one permit, if any waiting request can start. */
  function grantOne(): boolean {
    for (const [name, client] of clients) {
      for (const waiter of client.waiting) {
        if (!canStart(client, waiter.host)) continue;
        clients.delete(name); // to the end of the line
        clients.set(name, client);
        count(client, waiter.host, 1);
        waiter.grant();
        return true;
      }
    }
    return false;
  }

  function forgetIdle(name: string, client: Client): void {
    // A canceled request may come here when its client has been forgotten and is back.
    const isIdle = client.active === 0 && client.waiting.size === 0;
    if (isIdle && clients.get(name) === client) clients.delete(name);
  }

  function wait(client: Client, host: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        client.waiting.delete(waiter);
        waiting -= 1;
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      const onTimeout = () => {
        leave();
        reject(new PoolBusy());
      };
      const waiter = {
        host,
        grant() {
          leave();
          resolve();
        },
      };
      const timer = Number.isFinite(limits.maxWaitMillis)
        ? setTimeout(onTimeout, limits.maxWaitMillis)
        : undefined;
      signal?.addEventListener('abort', onAbort, { once: true });
      client.waiting.add(waiter);
      waiting += 1;
    });
  }

  return {
    /**
     * Waits for a permit.
     * @returns a function that gives it back; further calls of it have no effect
     * @throws PoolBusy if too many requests of the client wait, or this one has waited too long; the signal's
     *   reason if it aborts before there is a permit
     */
    async acquire({ client: name, host }: PoolRequest, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      const client = clients.get(name) ?? {
        active: 0,
        activeByHost: new Map(),
        waiting: new Set(),
      };
      clients.set(name, client);
      if (canStart(client, host)) count(client, host, 1);
      else if (canWait(client)) {
        await wait(client, host, signal).finally(() => forgetIdle(name, client));
      } else {
        forgetIdle(name, client);
        throw new PoolBusy();
      }
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        count(client, host, -1);
        while (grantOne());
        forgetIdle(name, client);
      };
    },
    active: (): number => active,
    waiting: (): number => waiting,
  };
}

export type FetchPool = ReturnType<typeof createFetchPool>;
