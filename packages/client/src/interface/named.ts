import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { CallOptions } from './common.ts';

/** What your client stores by name. */
interface NamedClient<Item, Request> {
  /** Returns all, by name. */
  list(options?: CallOptions): Promise<Item[]>;
  get(name: string, options?: CallOptions): Answer<Item>;
  /** Stores one in the place of the one of this name, if there is one. */
  put(name: string, request: Request, options?: CallOptions): Answer<Item>;
  delete(name: string, options?: CallOptions): Promise<void>;
}

/** Named options, which requests take by `preset`. */
export type PresetsClient = NamedClient<contract.Preset, contract.PresetRequest>;

/** What people have decided about the categories of your shop. */
export interface LearnedCategoriesClient {
  /** Returns all, by path. */
  list(options?: CallOptions): Promise<contract.LearnedCategory[]>;
  /** Replaces what was learnt of these paths, at most 1000; returns all that is known now. */
  put(
    categories: readonly Pick<contract.LearnedCategory, 'path' | 'counts'>[],
    options?: CallOptions,
  ): Promise<contract.LearnedCategory[]>;
  /** Forgets what was learnt of a path, or all. */
  forget(path?: string, options?: CallOptions): Promise<void>;
}

/** Rules of marketplaces that pictures are judged by: first the packs that are built in, then your own. */
export type RulesClient = NamedClient<contract.NamedRulePack, contract.RulePack>;

/** Folders and prefixes of buckets that the operator has declared for your client. */
export interface SourcesClient {
  list(options?: CallOptions): Promise<contract.Source[]>;
  get(id: string, options?: CallOptions): Answer<contract.Source>;
  /** Starts a source, changes its options, or pauses it. It uses the quota of this key. */
  put(id: string, request?: contract.SourceRequest, options?: CallOptions): Answer<contract.Source>;
  /** Passes on an event of the bucket, as it is. */
  sendEvent(id: string, event: object, options?: CallOptions): Answer<contract.SourceEventReceipt>;
  /** Has all objects listed now, and tries again those that failed. */
  scan(id: string, options?: CallOptions): Answer<contract.Source>;
  /**
   * Returns objects that fail by themselves, by name.
   * @param page at most `limit` of them, 1 to 1000, from the first name after `after`
   */
  failures(
    id: string,
    page?: { limit?: number; after?: string },
    options?: CallOptions,
  ): Answer<contract.SourceFailures>;
}
