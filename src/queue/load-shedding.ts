import { type ServiceTime, serviceMillis, type TurnOwner } from './turns.ts';

/** A rejected client is expected back so long after its time: Retry-After is in whole seconds. */
const RETURN_MILLIS = 2000;

/** What one client has in progress, compared with the others. */
interface ClientClaim {
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

/**
 * The clients of this gateway that have synchronous requests in progress or may return with one. Instants are
 * milliseconds of any one clock.
 */
export class ClientLoad {
  readonly #clients = new Map<string, ActiveClient>();
  /** Of requests in progress: all, and those whose image was sent, with the size of these together. */
  readonly counts = { total: 0, uploads: 0, megapixels: 0 };

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
      this.counts.total += step;
      if (megapixels === undefined) active.withLink += step;
      else {
        this.counts.uploads += step;
        this.counts.megapixels += step * megapixels;
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

/** How busy the workers are for a request that arrives now. */
export interface LoadEstimate {
  /** Until a request that arrives now would be answered. */
  waitMillis: number;
  /** Mean time of one image in a slot. */
  serviceMillis: number;
  /** Images processed at once; at least 1. */
  slots: number;
}

/** A client's claim on the workers. */
interface Claim extends Omit<ClientClaim, 'aheadMillis'> {
  /** Until its request would be answered, as clients take turns; at most the wait of all. */
  turnMillis: number;
}

/** Why and for how long a request is rejected. */
interface Rejection {
  /** All workers are busy, or the client has its share of them. */
  reason: 'busy' | 'own-share';
  retryMillis: number;
}

/** Up to so long without a free slot it is a burst, which may wait; from then on it is overload. */
const BURST_MILLIS = 5000;
/** Images waiting per slot when admission resumes: enough to keep every slot busy until requests come back. */
const LOW_IMAGES = 3;
/**
 * How far the wait may rise from there: Retry-After counts whole seconds, so admission that resumes lasts at least one,
 * and for some images of each slot if they are slow.
 */
const HYSTERESIS_MILLIS = 1000;
const HYSTERESIS_IMAGES = 6;
/**
 * So soon after it resumed, admission stops again only if the wait rises by twice the hysteresis: chance alone must not
 * stop it before the requests return whose Retry-After was one second.
 */
const STEADY_MILLIS = 1500;
/** Upper bound of Retry-After, however many requests have been rejected before. */
const MAX_RETRY_MILLIS = 30_000;

/** Returns the waits at which admission resumes (`low`) and above which it stops (`high`) under overload, ms. */
export function waitThresholds(
  { serviceMillis, slots }: Pick<LoadEstimate, 'serviceMillis' | 'slots'>,
  maxWaitMillis: number,
) {
  const low = Math.min(LOW_IMAGES * serviceMillis, maxWaitMillis);
  const hysteresis = Math.max(HYSTERESIS_MILLIS, (HYSTERESIS_IMAGES * serviceMillis) / slots);
  return { low, high: Math.min(low + hysteresis, maxWaitMillis) };
}

/**
 * Load shedding with hysteresis. Under overload, admission stops when the wait is long and resumes when it is short.
 * While it is stopped hardly any work is added, so the time until it resumes is known, and a request that returns on
 * time is admitted. A client with its share leaves a place for each rejected client that is to return, and one whose
 * turn comes soon is admitted even while others are not: rejected requests of one client delay no other. Instants are
 * milliseconds of any one clock.
 * @param maxWaitMillis what a request may wait in a burst
 */
export class LoadShedding {
  readonly #maxWaitMillis;
  #isAdmitting = true;
  #burstMillisLeft = BURST_MILLIS;
  #observedAt = Number.NEGATIVE_INFINITY;
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** By client: when the last of its rejected requests may return. */
  readonly #lastRetries = new Map<string, number>();
  /** When the workers could have done the rejected requests of all. */
  #demandUntil = Number.NEGATIVE_INFINITY;

  constructor(maxWaitMillis: number) {
    this.#maxWaitMillis = maxWaitMillis;
  }

  /** The wait above which admission stops. */
  #shedThreshold(estimate: LoadEstimate, now: number): number {
    if (this.#burstMillisLeft > 0) return this.#maxWaitMillis;
    const { low, high } = waitThresholds(estimate, this.#maxWaitMillis);
    return now - this.#resumedAt < STEADY_MILLIS
      ? Math.min(2 * high - low, this.#maxWaitMillis)
      : high;
  }

  /** Updates the state. Called often enough, or a pause between two bursts is missed. */
  observe(estimate: LoadEstimate, now: number): void {
    const { waitMillis, serviceMillis } = estimate;
    const hasFreeSlot = waitMillis <= serviceMillis;
    const sinceLastMillis = now - this.#observedAt;
    const left = this.#burstMillisLeft + (hasFreeSlot ? sinceLastMillis : -sinceLastMillis);
    this.#burstMillisLeft = Math.min(BURST_MILLIS, Math.max(0, left));
    this.#observedAt = now;
    const resumeThreshold = waitThresholds(estimate, this.#maxWaitMillis).low;
    const wasAdmitting = this.#isAdmitting;
    const threshold = wasAdmitting ? this.#shedThreshold(estimate, now) : resumeThreshold;
    // Service times are measured on admitted requests: while a slot is free, one must always be admitted.
    this.#isAdmitting = hasFreeSlot || waitMillis <= threshold;
    if (this.#isAdmitting && !wasAdmitting) this.#resumedAt = now;
    for (const [client, retryAt] of this.#lastRetries) {
      if (retryAt + MAX_RETRY_MILLIS < now) this.#lastRetries.delete(client);
    }
  }

  /** Returns how many requests a client would have beyond its share with one more; 0 if nobody needs the place. */
  #excess(estimate: LoadEstimate, claim: Claim, now: number): number {
    const { serviceMillis, slots, waitMillis } = estimate;
    const { share, inFlightMillis, returning } = claim;
    const placesIn = (millis: number) => (millis * slots) / serviceMillis;
    const capacity = placesIn(this.#shedThreshold(estimate, now));
    const hasPlace = waitMillis <= serviceMillis || placesIn(waitMillis) + returning <= capacity;
    if (hasPlace || inFlightMillis === 0 || returning === 0) return 0;
    return Math.max(0, inFlightMillis / serviceMillis + 1 - share * capacity);
  }

  /**
   * Returns after how long to retry, ms. Retries of a client are spread at the rate at which its work is done; as
   * many as fit at once may return when admission resumes.
   */
  #retryAfter(
    { serviceMillis, slots }: LoadEstimate,
    { client, share }: Claim,
    resumesAt: number,
    fittingMillis: number,
    now: number,
  ): number {
    const last = this.#lastRetries.get(client) ?? Number.NEGATIVE_INFINITY;
    const next = last + serviceMillis / (slots * share);
    const retryAt = Math.min(Math.max(next, resumesAt), now + MAX_RETRY_MILLIS);
    this.#lastRetries.set(client, retryAt);
    return Math.max(resumesAt, retryAt - fittingMillis) - now;
  }

  /** Decides about one request. @returns nothing if it is admitted */
  admit(estimate: LoadEstimate, claim: Claim, now: number): Rejection | undefined {
    this.observe(estimate, now);
    const { serviceMillis, slots } = estimate;
    const { low, high } = waitThresholds(estimate, this.#maxWaitMillis);
    const { turnMillis, share } = claim;
    const reject = (reason: Rejection['reason'], resumesAt: number): Rejection => ({
      reason,
      retryMillis: this.#retryAfter(estimate, claim, resumesAt, share * (high - low), now),
    });
    if (!this.#isAdmitting && turnMillis > low) {
      const next = Math.max(
        this.#demandUntil + serviceMillis / slots,
        now + estimate.waitMillis - low,
      );
      this.#demandUntil = Math.min(next, now + MAX_RETRY_MILLIS);
      return reject('busy', now + turnMillis - low);
    }
    const surplus = this.#excess(estimate, claim, now);
    if (surplus === 0) return undefined;
    return reject('own-share', now + (surplus * serviceMillis) / (slots * share));
  }

  /** Time until the rejected requests of all clients could be done, ms; 0 while requests are admitted. */
  retryMillis(now: number): number {
    return this.#isAdmitting ? 0 : Math.max(0, this.#demandUntil - now);
  }
}
