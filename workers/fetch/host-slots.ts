interface Host {
  active: number;
  /** Waiting requests, first come, first served. */
  queue: Set<() => void>;
}

/**
 * Limits the concurrent fetches of each host; further ones wait in a queue.
 * @param maxPerHost concurrent fetches of one host
 */
export function createHostSlots(maxPerHost: number) {
  const hosts = new Map<string, Host>();

  function getHost(name: string): Host {
    const host = hosts.get(name) ?? { active: 0, queue: new Set() };
    hosts.set(name, host);
    return host;
  }

  function release(name: string, host: Host): void {
    const [next] = host.queue;
    if (next) {
      host.queue.delete(next);
      next(); // the slot passes on, so `active` stays
      return;
    }
    host.active -= 1;
    if (host.active === 0) hosts.delete(name);
  }

  function wait(host: Host, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onGrant = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        host.queue.delete(onGrant);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      host.queue.add(onGrant);
    });
  }

  return {
    /**
     * Waits for a slot.
     * @returns a function that releases the slot; further calls of it have no effect
     * @throws the signal's reason if it aborts before there is a slot
     */
    async acquire(name: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      const host = getHost(name);
      if (host.active < maxPerHost) host.active += 1;
      else await wait(host, signal);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        release(name, host);
      };
    },
  };
}
