/* A key's limits and what is left of them. */

/** Requests that the key's rate still allows. */
export interface RateUsage {
  limit: number;
  remaining: number;
  /** Until the full rate is available again. */
  resetSeconds: number;
}

/** What a daily limit of the key still allows. */
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
  /** The parts of `/intake` that the key may use; undefined of an earlier release. */
  intake?: string[] | undefined;
  rate: RateUsage;
  quota: QuotaUsage;
  /** Bytes of images, rows and feeds that may still be uploaded. */
  storedBytes: QuotaUsage;
}
