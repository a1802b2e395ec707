import { z } from 'zod';
import { deedKey } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';
import { putJson } from './batches/batch-files.ts';
import { BatchFields } from './batches/batch-record.ts';
import { FeedRecord } from './feeds/feeds.ts';
import { JobRecord } from './job-records.ts';

/**
 * What each kind of deed says: enough to do it again. A deed is what a client or an operator did to something that only
 * Redis knows. It is in object storage before it is acknowledged, for a Redis that loses its last second, and is
 * forgotten soon.
 */
export const DEEDS = {
  /** A job that was canceled, erased or refined: its record since. */
  job: JobRecord,
  /** A batch or run that was canceled or erased: its record since. */
  batch: BatchFields,
  /** A feed that was erased: its record since. */
  feed: FeedRecord,
  /** A preset or pack of rules that was deleted. */
  setting: z.object({
    kind: z.string(),
    client: z.string(),
    name: z.string(),
    at: z.iso.datetime(),
  }),
  /** Secrets of webhooks and disabled addresses of a client, encrypted. */
  receivers: z.object({ client: z.string(), sealed: z.string() }),
  /** A session that was ended, by its key in Redis. */
  session: z.object({ key: z.string() }),
  /** The retention policy of a client, as JSON; null if it was cleared. */
  retention: z.object({ client: z.string(), policy: z.string().nullable() }),
} as const;

export type DeedKind = keyof typeof DEEDS;
export type Deed<Kind extends DeedKind = DeedKind> = z.infer<(typeof DEEDS)[Kind]>;

/** How long deeds are retained, ms: a recovery that has not read them by then has failed. */
export const DEED_MILLIS = 3_600_000;

const isKind = (text: string): text is DeedKind => Object.hasOwn(DEEDS, text);

/** Returns the kind of a deed by its key, or nothing if this version knows none. */
export function deedKindOf(key: string): DeedKind | undefined {
  const [, kind = ''] = key.split('/');
  return isKind(kind) ? kind : undefined;
}

/** Stores a deed, in the place of an earlier one about the same thing. @param name of the thing, unique to its kind */
export const putDeed = <Kind extends DeedKind>(
  blobs: Pick<Blobs, 'put'>,
  kind: Kind,
  name: string,
  deed: Deed<Kind>,
): Promise<void> => putJson(blobs, deedKey(kind, name), deed);
