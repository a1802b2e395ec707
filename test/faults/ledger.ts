/** The ways to send work to the service. */
export const WAYS = ['sync', 'job', 'batch', 'feed'] as const;
export type Way = (typeof WAYS)[number];

/** The end of a unit of work, as seen by its client. */
export interface End {
  outcome: 'succeeded' | 'failed';
  /** SHA-256 of the cut-out's bytes, hex, if it succeeded. */
  sha256?: string;
  /** The problem type if it failed. */
  problem?: string;
}

/** A unit of work the service accepted: an image or a row. */
export interface Entry {
  way: Way;
  /** The id of its job, batch row or request. */
  id: string;
  client: string;
  /** The image it is about. */
  picture: string;
  /** Every end observed; there must be exactly one. */
  ends: End[];
}

/** A request with an unknown end: the connection broke, or the response was 5xx. */
export interface Unknown {
  way: Way;
  client: string;
}

/** A synchronous response. */
export interface Timed {
  status: number;
  millis: number;
}

/** Something that a customer has done, which was acknowledged: how it reads must not change. */
export interface Deed {
  what: string;
  read(): Promise<string>;
  /** When it was acknowledged, and at the end. */
  said: string;
  found?: string;
}

/** The observations of clients, recorded outside the service. */
export interface Ledger {
  entries: Map<string, Entry>;
  unknowns: Unknown[];
  answers: Timed[];
  /** The `customId`s in the manifest of each batch, in its order, and how many rows were accepted. */
  manifests: Map<string, { accepted: number; customIds: string[] }>;
  /** Jobs and rows that succeeded but whose result cannot be read. */
  missing: Set<string>;
  /** Jobs whose results are retained for the shortest time, and those that were readable long after it. */
  fleeting: Set<string>;
  outlived: Set<string>;
  /** What customers did besides sending work. */
  deeds: Deed[];
}

export const createLedger = (): Ledger => ({
  entries: new Map(),
  unknowns: [],
  answers: [],
  manifests: new Map(),
  missing: new Set(),
  fleeting: new Set(),
  outlived: new Set(),
  deeds: [],
});

/** Records accepted work; the same id again is the same work. */
export function accepted(ledger: Ledger, entry: Omit<Entry, 'ends'>): Entry {
  const key = `${entry.way}:${entry.id}`;
  const known = ledger.entries.get(key);
  if (known) return known;
  const noted = { ...entry, ends: [] };
  ledger.entries.set(key, noted);
  return noted;
}
