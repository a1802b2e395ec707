import { TurnQueue, type Waiter, waitForTurn } from '../../src/queue/turns.ts';

/** What one pool allows at a time; all that is left out is unlimited. */
export interface PoolLimits {
  /** Permits of all clients together. */
  total?: number;
  /** Permits of one client. It also gets no more than remain for others, so a newcomer finds one. */
  perClient?: number;
  /** Permits of one client for one host. */
  perClientAndHost?: number;
  /** Permits of all clients for one host. */
  perHost?: number;
  /** Waiting requests of all clients. One client may have a quarter, and no more than remain for others. */
  maxWaiting?: number;
  /** How long a request may wait. */
  maxWaitMillis?: number;
}

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

/**
 * A pool of permits that clients share fairly: within the limits, waiting clients get permits in turn, whatever the
 * number of their requests.
 */
export class FetchPool {
  readonly #limits: PoolLimits;
  readonly #waiting = new TurnQueue<Waiter<void, PoolRequest>>();
  /** Permits in use: of all, of a client, for a host, and of a client for a host. */
  readonly #used = new Map<string, number>();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  #count({ client, host }: PoolRequest, change: 1 | -1): void {
    for (const what of ['', `of ${client}`, `for ${host}`, `of ${client} for ${host}`]) {
      const used = (this.#used.get(what) ?? 0) + change;
      if (used > 0) this.#used.set(what, used);
      else this.#used.delete(what);
    }
  }

  #mayStart({ client, host }: PoolRequest): boolean {
    const { total = Infinity, perClient = Infinity } = this.#limits;
    const { perClientAndHost = Infinity, perHost = Infinity } = this.#limits;
    const used = (what: string): number => this.#used.get(what) ?? 0;
    return (
      used(`of ${client}`) < Math.min(perClient, total - this.active()) &&
      used(`of ${client} for ${host}`) < perClientAndHost &&
      used(`for ${host}`) < perHost
    );
  }

  #mayWait({ client }: PoolRequest): boolean {
    const { maxWaiting = Infinity } = this.#limits;
    const own = this.#waiting.items().filter(({ request }) => request.client === client);
    return own.length < Math.min(maxWaiting / 4, maxWaiting - this.waiting());
  }

  /** Grants what may start now. */
  #grant(): void {
    for (let next = this.#first(); next; next = this.#first()) {
      this.#count(next.request, 1);
      next.grant();
    }
  }

  #first = () => this.#waiting.first(({ request }) => this.#mayStart(request));

  /**
   * Waits for a permit.
   * @returns a function that gives it back; further calls of it have no effect
   * @throws PoolBusy if too many requests of the client wait, or this one has waited too long; the signal's
   *   reason if it aborts before there is a permit
   */
  async acquire(request: PoolRequest, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#mayStart(request)) this.#count(request, 1);
    else if (this.#mayWait(request)) {
      const patience = { millis: this.#limits.maxWaitMillis ?? Infinity, error: new PoolBusy() };
      const owner = { client: request.client, weight: 1 };
      await waitForTurn(this.#waiting, owner, request, signal, patience);
    } else throw new PoolBusy();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#count(request, -1);
      this.#grant();
    };
  }

  active = (): number => this.#used.get('') ?? 0;
  waiting = (): number => this.#waiting.items().length;
}

/** Images being fetched, in addition to four for each slot of the engine. */
const FETCHES = 24;
/** Requests of one client to one host, in addition to one for each slot. */
const FETCHES_AT_HOST = 4;
/** A job that waits longer may be taken by a worker that has more room. */
const MAX_WAIT_MILLIS = 15_000;
const FEED_FETCHES = 16;
const FEEDS_PER_CLIENT = 2;
/** Each takes a core while it parses rows. One more than a client may have keeps one for the others. */
const PARSED_FEEDS = FEEDS_PER_CLIENT + 1;

/**
 * Creates the pools of jobs that fetch. Images hold their permit until the job ends: it bounds the images in memory,
 * and the engine needs some to choose from.
 * @param slots images that the engine works on at once
 */
export function createFetchPools(slots: number) {
  const total = FETCHES + 4 * slots;
  // The connections to a host have a limit of their own.
  const images = {
    total,
    perClient: total / 4,
    perClientAndHost: FETCHES_AT_HOST + slots,
    maxWaiting: total, // few: if the worker dies, they wait until their locks expire
  };
  return {
    /** Jobs a client waits for: they wait until their deadline. */
    sync: new FetchPool(images),
    /** Jobs with heavy work: one slot is left to the others, which wait in the queue, for any worker. */
    heavy: new FetchPool({ total: Math.max(1, slots - 1), maxWaiting: 4 }),
    /** Accepted jobs and rows. */
    background: new FetchPool({ ...images, maxWaitMillis: MAX_WAIT_MILLIS }),
    feeds: new FetchPool({
      total: FEED_FETCHES,
      perClient: FEEDS_PER_CLIENT,
      maxWaiting: 64,
      maxWaitMillis: MAX_WAIT_MILLIS,
    }),
    /** Feeds whose rows are read. */
    parsing: new FetchPool({ total: PARSED_FEEDS, perClient: FEEDS_PER_CLIENT }),
  };
}
