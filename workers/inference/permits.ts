/** `now`: a client waits on an open connection. */
type Priority = 'now' | 'later';

export interface PermitRequest {
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
  /** `later` by default. */
  priority?: Priority | undefined;
}

interface Waiter<P> {
  grant(permit: P): void;
  reject(reason: unknown): void;
}

/**
 * A semaphore with priorities, whose permits are things to use. Requests with priority `now` are served before
 * those with `later`; within a priority the order is first come, first served.
 */
export function createPermits<P>() {
  let free: P[] = [];
  let closed: Error | undefined;
  const queues: Readonly<Record<Priority, Set<Waiter<P>>>> = { now: new Set(), later: new Set() };

  function wait(queue: Set<Waiter<P>>, signal: AbortSignal | undefined): Promise<P> {
    return new Promise((resolve, reject) => {
      const onAbort = () => waiter.reject(signal?.reason);
      const leaveQueue = () => {
        signal?.removeEventListener('abort', onAbort);
        queue.delete(waiter);
      };
      const waiter: Waiter<P> = {
        grant(permit) {
          leaveQueue();
          resolve(permit);
        },
        reject(reason) {
          leaveQueue();
          reject(reason);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.add(waiter);
    });
  }

  return {
    /** Resolves with a permit. Rejects with the signal's reason and then takes none. */
    async acquire({ signal, priority = 'later' }: PermitRequest = {}): Promise<P> {
      signal?.throwIfAborted();
      if (closed) throw closed;
      // The permit released last: its process still has warm caches.
      return free.pop() ?? wait(queues[priority], signal);
    },
    /** Adds a permit, or gives one back. */
    release(permit: P): void {
      const [next] = queues.now.size > 0 ? queues.now : queues.later;
      if (next) next.grant(permit);
      else free.push(permit);
    },
    /** Removes all equal permits that nobody holds. */
    remove(permit: P): void {
      free = free.filter((other) => other !== permit);
    },
    /** Rejects all waiting and all future requests. */
    close(reason: Error): void {
      closed = reason;
      for (const queue of [queues.now, queues.later])
        for (const waiter of [...queue]) waiter.reject(reason);
    },
  };
}
