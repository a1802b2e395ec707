/** The ways of work through the service. */
export const WAYS = ['sync', 'job', 'batch', 'feed'] as const;
export type Way = (typeof WAYS)[number];

/** What a piece of work came to, as its client saw it. */
export interface End {
  outcome: 'succeeded' | 'failed';
  /** Of the cut-out's bytes, hex; of what succeeded. */
  sha256?: string;
  /** Problem type, of what failed. */
  problem?: string;
}

/** One piece of work that the service has accepted: an image, or a row. */
export interface Entry {
  way: Way;
  /** Its job, batch row or request. */
  id: string;
  client: string;
  /** Which picture it is about. */
  picture: string;
  /** Every end that was seen; there must be exactly one. */
  ends: End[];
}

/** A request whose end its client does not know: the connection broke, or 5xx was answered. */
export interface Unknown {
  way: Way;
  client: string;
}

/** A synchronous answer. */
export interface Timed {
  status: number;
  millis: number;
}

/** What clients have seen, written down outside the service. */
export interface Ledger {
  entries: Map<string, Entry>;
  unknowns: Unknown[];
  answers: Timed[];
  /** The `customId`s in the manifest of each batch, in its order, and how many rows were accepted. */
  manifests: Map<string, { accepted: number; customIds: string[] }>;
  /** Jobs and rows that have succeeded, and whose result is not to be had. */
  missing: Set<string>;
  /** Jobs whose results are kept for the shortest time, and those that were readable long after it. */
  fleeting: Set<string>;
  outlived: Set<string>;
}

export const createLedger = (): Ledger => ({
  entries: new Map(),
  unknowns: [],
  answers: [],
  manifests: new Map(),
  missing: new Set(),
  fleeting: new Set(),
  outlived: new Set(),
});

/** Notes that a piece of work was accepted; the same id again is the same work. */
export function accepted(ledger: Ledger, entry: Omit<Entry, 'ends'>): Entry {
  const key = `${entry.way}:${entry.id}`;
  const known = ledger.entries.get(key);
  if (known) return known;
  const noted = { ...entry, ends: [] };
  ledger.entries.set(key, noted);
  return noted;
}
