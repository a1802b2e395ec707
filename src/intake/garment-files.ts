import type { StoredOutfit } from '../queue/job-data.ts';
import { garmentKey } from '../storage/blob-keys.ts';

/** Returns the keys of the cut-outs of an outfit's garments; none without an outfit. @param prefix of the keys */
export const garmentKeys = (prefix: string, outfit: Pick<StoredOutfit, 'files'> | undefined) =>
  outfit?.files.map(({ sha256 }) => garmentKey(prefix, sha256)) ?? [];
