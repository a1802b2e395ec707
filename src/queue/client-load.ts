import { type ServiceTime, serviceMillis } from './service-time.ts';
import type { TurnOwner } from './turns.ts';

/** A rejected client is expected back so long after its time: Retry-After is in whole seconds. */
const RETURN_MILLIS = 2000;

/** What one client has in progress, compared with the others. */
export interface ClientClaim {
  client: string;
  /** Predicted work of its requests in progress, ms of a slot. */
  inFlightMillis: number;
  /** Its part of the work, by weight, 0..1; 1 while no other client is active. */
  share: number;
  /** Other clients that were rejected and may return. */
  returning: number;
  /** Work that is done before its next job, as clients take turns; ms of a slot. */
  aheadMillis: number;
}

/** Jobs of other gateways, whose clients are not known one by one. */
export interface ForeignLoad {
  jobs: number;
  clients: number;
}

interface ActiveClient {
  weight: number;
  inFlight: number;
  /** Those of them whose image is fetched. */
  withLink: number;
  /** Size of the images of the others, by price. */
  megapixels: number;
  /** Until when it may return after a rejection; instant of a monotonic clock. */
  returnsUntil: number;
}

/** Returns the predicted work of a client's requests in progress, ms of a slot. */
function workOf(client: ActiveClient | undefined, time: ServiceTime): number {
  if (!client) return 0;
  const { inFlight, withLink, megapixels } = client;
  const images = inFlight * time.fixedMillis + megapixels * time.megapixelMillis;
  return images + withLink * time.megapixels * time.megapixelMillis;
}

/** Requests whose image was sent, and the size of all of them. */
interface Uploads {
  count: number;
  megapixels: number;
}

/**
 * The clients of this gateway that have synchronous requests in progress or may return with one. Instants are
 * milliseconds of any one clock.
 */
export class ClientLoad {
  readonly #clients = new Map<string, ActiveClient>();
  #total = 0;
  readonly #uploads: Uploads = { count: 0, megapixels: 0 };

  #activate({ client, weight }: TurnOwner): ActiveClient {
    const active = this.#clients.get(client) ?? {
      weight,
      inFlight: 0,
      withLink: 0,
      megapixels: 0,
      returnsUntil: Number.NEGATIVE_INFINITY,
    };
    active.weight = weight;
    this.#clients.set(client, active);
    return active;
  }

  /** Returns the predicted work of all requests in progress, ms of a slot. */
  workMillis(time: ServiceTime): number {
    return [...this.#clients.values()].reduce((sum, client) => sum + workOf(client, time), 0);
  }

  /** Returns the number of requests in progress. */
  total() {
    return this.#total;
  }

  /** Returns the requests in progress whose image was sent, and the size of all of them. */
  uploads(): Readonly<Uploads> {
    return this.#uploads;
  }

  /**
   * Returns the number of requests in progress that occupy the workers: a fetch uses none of their slots.
   * @param maxWithLink counted of each client's requests whose image is fetched
   */
  working(maxWithLink: number): number {
    let working = 0;
    for (const { inFlight, withLink } of this.#clients.values()) {
      working += inFlight - withLink + Math.min(withLink, maxWithLink);
    }
    return working;
  }

  /**
   * Counts a request.
   * @param megapixels of its image, by price; undefined if that is fetched
   * @returns a function to call once, when it is answered
   */
  enter(owner: TurnOwner, megapixels: number | undefined): () => void {
    const active = this.#activate(owner);
    active.returnsUntil = Number.NEGATIVE_INFINITY;
    const count = (step: 1 | -1) => {
      active.inFlight += step;
      this.#total += step;
      if (megapixels === undefined) active.withLink += step;
      else {
        this.#uploads.count += step;
        this.#uploads.megapixels += step * megapixels;
        // Without a rest of rounding when nothing is in progress.
        active.megapixels = active.inFlight && active.megapixels + step * megapixels;
      }
    };
    count(1);
    return () => count(-1);
  }

  /** Counts a rejected client as active until it should have returned. */
  expectReturn(owner: TurnOwner, atMillis: number): void {
    const active = this.#activate(owner);
    active.returnsUntil = Math.max(active.returnsUntil, atMillis + RETURN_MILLIS);
  }

  /** Returns a client's claim on the workers. @param ownMillis work of its next job */
  claimOf(
    owner: TurnOwner,
    ownMillis: number,
    foreign: ForeignLoad,
    time: ServiceTime,
    now: number,
  ): ClientClaim {
    const inFlightMillis = workOf(this.#clients.get(owner.client), time);
    /** Its turns until then: as much work is done for each other client of the same weight. */
    const turnMillis = inFlightMillis + ownMillis;
    let weights = owner.weight;
    let returning = 0;
    // Clients of other gateways count with weight 1, and their jobs as typical.
    const foreignMillis = foreign.jobs * serviceMillis(time);
    let aheadMillis = inFlightMillis + Math.min(foreignMillis, foreign.clients * turnMillis);
    for (const [client, other] of this.#clients) {
      if (other.inFlight === 0 && other.returnsUntil < now) this.#clients.delete(client);
      else if (client !== owner.client) {
        weights += other.weight;
        if (other.returnsUntil >= now) returning++;
        const theirs = (turnMillis * other.weight) / owner.weight;
        aheadMillis += Math.min(workOf(other, time), theirs);
      }
    }
    const share = owner.weight / weights;
    return { client: owner.client, inFlightMillis, share, returning, aheadMillis };
  }
}
