/* A key's limits and what is left of them. */

/** Requests that the key's rate still allows. */
export interface RateUsage {
  limit: number;
  remaining: number;
  /** Until the full rate is available again. */
  resetSeconds: number;
}

/** Removals that the key's daily quota still allows. */
export interface QuotaUsage {
  limit: number;
  remaining: number;
  /** The next midnight UTC. */
  resetsAt: string;
}

/** What a key allows and what is left of it. */
export interface Usage {
  client: string;
  scopes: string[];
  rate: RateUsage;
  quota: QuotaUsage;
}
