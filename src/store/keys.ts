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

/** Of an input that is not the image but where to fetch it: one address in UTF-8. */
export const LINK_MEDIA_TYPE = 'text/uri-list';

/** What a client handed in for one job. */
export const jobInputKey = (client: string, jobId: string): string =>
  `in/${segment(client)}/${jobId}`;

/**
 * A cut-out that is kept: named by what it is made of, so that a second run writes the same bytes and
 * a client's second job with the same image finds it.
 * @param sha256 of the input, hex
 * @param model `id@version`
 * @param options whatever else changes the pixels
 */
export function cutOutKey(client: string, sha256: string, model: string, options: object): string {
  const pipeline = `${model.replace('@', '-')}-${digest(JSON.stringify(options)).slice(0, 8)}`;
  return `out/${segment(client)}/${sha256}/${pipeline}.png`;
}

/** A client's name as one safe segment of a key, different for different names. */
const segment = (name: string): string => digest(name).slice(0, 32);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
