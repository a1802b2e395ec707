import { createHash } from 'node:crypto';

/**
 * Names of blobs. What lies under `sync/` belongs to one request that is being answered: it is
 * deleted with the answer, and swept where a process died before it could.
 */
export const SYNC_PREFIX = 'sync/';

/** After this a blob under `sync/` belongs to no request any more. */
export const SYNC_ORPHAN_SECONDS = 900;

/**
 * The two blobs of one synchronous removal.
 * @param id unique to the request; not what the client sent
 */
export const syncKeys = (client: string, id: string) => ({
  inputKey: `${SYNC_PREFIX}${segment(client)}/${id}/in`,
  outputKey: `${SYNC_PREFIX}${segment(client)}/${id}/out.png`,
});

/** A client's name as one safe segment of a key, different for different names. */
const segment = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, 32);
