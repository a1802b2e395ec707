import type { AppliedCutOutOptions, CutOutOptions } from './removal.ts';

/* Sources: folders and prefixes of buckets whose new objects are cut out. */

/** What a source is started with, or changed to. */
export interface SourceRequest {
  /** By default those of before. */
  options?: CutOutOptions | undefined;
  /** Whether no more objects are taken. */
  paused?: boolean | undefined;
}

/** Where objects are; a folder is known to the operator only. */
export interface SourcePlace {
  kind: 's3' | 'folder';
  bucket?: string;
  prefix?: string;
}

/** Versions of objects, by what became of them. */
export interface SourceCounts {
  found: number;
  pending: number;
  succeeded: number;
  failed: number;
  /** Those that were not read: empty, too large, or with a name no result can have. */
  rejected: number;
}

/** `off` until you start it; `waiting` for quota or a live key; `unreachable` if a place cannot be used now. */
export type SourceStatus = 'off' | 'paused' | 'waiting' | 'unreachable' | 'working' | 'watching';

/** Why no more objects are processed now. */
export interface SourceProblem {
  type: string;
  detail: string;
  since: string;
}

/** Paths on the service. */
export interface SourceLinks {
  self: string;
  events: string;
  scan: string;
  failures: string;
}

/** Objects that fail by themselves, by what becomes of them. */
export interface SourceFailureCounts {
  /** Tried again, each after a pause of its own. */
  waiting: number;
  /** Not tried again until they change, or all are scanned. */
  givenUp: number;
  /** Folders whose objects cannot be listed. */
  unlisted: number;
}

/** An object that fails while others do not. */
export interface SourceFailure {
  name: string;
  reason: string;
  attempts: number;
  since: string;
  lastAt: string;
  /** Absent once it is given up. */
  retryAt?: string;
}

/** A page of failures, by name. */
export interface SourceFailures {
  failures: SourceFailure[];
  /** Folders that the last listing could not read. */
  unlisted: { name: string; reason: string }[];
  links?: { next: string };
}

/** A folder or a prefix of a bucket that the operator has declared for your client. */
export interface Source {
  id: string;
  from: SourcePlace;
  to: SourcePlace;
  everySeconds: number;
  status: SourceStatus;
  counts: SourceCounts;
  failures: SourceFailureCounts;
  /** When all objects had been listed last. */
  listedAt?: string;
  problem?: SourceProblem;
  /** When a place is tried again. */
  retryAt?: string;
  options?: AppliedCutOutOptions;
  changedAt?: string;
  /** The last handshake of SNS. */
  subscription?: { topicArn: string; token: string; receivedAt: string } | undefined;
  links: SourceLinks;
}

/** All sources of a client. */
export interface SourceList {
  sources: Source[];
}

/** What was understood of an event. */
export interface SourceEventReceipt {
  objects: number;
  /** Those outside the source. */
  ignored: number;
}
