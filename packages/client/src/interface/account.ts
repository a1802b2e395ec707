import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { CallOptions } from './common.ts';

/** The keys of your client, what it has used, and what became of its requests. Needs the scope `account`. */
export interface AccountClient {
  /** Returns the live keys, the oldest first. */
  listKeys(options?: CallOptions): Promise<contract.AccountKey[]>;
  /** Creates a key that holds no more than the one in use. */
  createKey(
    request?: contract.CreateKeyRequest,
    options?: CallOptions,
  ): Answer<contract.NewAccountKey>;
  /** Replaces a key. The old one works for `graceSeconds` more: 0 to 2,592,000; a day by default. */
  rotateKey(
    id: string,
    request?: { graceSeconds?: number | undefined },
    options?: CallOptions,
  ): Answer<contract.NewAccountKey>;
  /** Revokes a key, at once. */
  revokeKey(id: string, options?: CallOptions): Answer<contract.RevokedKey>;
  /** Returns what all keys together used, by day and operation. */
  usage(query?: contract.AccountUsageQuery, options?: CallOptions): Answer<contract.AccountUsage>;
  /** Returns the requests that had this id, the newest first. They are written just after the response. */
  findRequests(requestId: string, options?: CallOptions): Promise<contract.LoggedRequest[]>;
  /**
   * Returns who changed what, of all clients, the newest first; needs the scope `operations:access`. The next page is
   * `before` the last id.
   */
  audit(query?: contract.AuditQuery, options?: CallOptions): Answer<contract.AuditPage>;
}

/** How somebody without a key gets one, and how the operator decides. */
export interface AccessClient {
  /** Asks for a key; needs none. Keep the `secret`: the key is fetched with it. */
  request(
    form: contract.AccessRequestForm,
    options?: CallOptions,
  ): Answer<contract.SubmittedAccessRequest>;
  /**
   * Returns the key, once; needs none. Throws a `conflict` with `retryAfterSeconds` until the operator has decided,
   * and `gone` if the request was denied or the key was fetched before.
   */
  fetchKey(id: string, secret: string, options?: CallOptions): Answer<contract.FetchedKey>;
  /** Returns the requests, the oldest first. This and the next need the scope `operations:access`. */
  list(
    query?: contract.AccessRequestQuery,
    options?: CallOptions,
  ): Promise<contract.AccessRequest[]>;
  /** Approves a request, whose sender can fetch the key then. */
  approve(
    id: string,
    approval?: contract.AccessApproval,
    options?: CallOptions,
  ): Answer<contract.AccessRequest>;
  deny(id: string, options?: CallOptions): Answer<contract.AccessRequest>;
}
