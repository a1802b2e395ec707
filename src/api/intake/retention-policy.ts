import type { Retention } from '../../auth/client-retention.ts';
import type { Caller } from '../../http/route.ts';
import { DEFAULT_RETENTION, type Policy, shortestRetention } from '../../intake/retention.ts';
import { Problem } from '../../platform/problem.ts';

/** Reads the operator's limits for all keys of a client. */
type ReadClientLimits = (client: string) => Promise<Retention>;

type StorageCaller = Pick<Caller, 'client' | 'retention'>;

const forbidsStorage = ({ retention = {} }: StorageCaller, clientLimits: Retention): boolean =>
  clientLimits.store === 'none' || retention.store === 'none';

/** Returns whether a client and its key may store anything. @throws Problem upstream-unavailable */
export async function allowsStorage(
  caller: StorageCaller,
  readClientLimits: ReadClientLimits,
): Promise<boolean> {
  return !forbidsStorage(caller, await readClientLimits(caller.client));
}

/**
 * Returns how long the data of a request is retained: the shortest of the request's, the key's and
 * the client's policy applies.
 * @param outputSeconds as requested, or the default
 * @throws Problem conflict if the client or the key may retain nothing; upstream-unavailable
 */
export async function retentionPolicy(
  caller: StorageCaller,
  outputSeconds: number,
  readClientLimits: ReadClientLimits,
): Promise<Policy> {
  const clientLimits = await readClientLimits(caller.client);
  if (forbidsStorage(caller, clientLimits)) {
    throw new Problem(
      'conflict',
      'This key does not allow storage, so it can use only the synchronous endpoints: POST /bg/v1/background-removals or /taxonomy/v1/taxonomy',
    );
  }
  return shortestRetention(
    { ...DEFAULT_RETENTION, outputSeconds },
    clientLimits,
    caller.retention ?? {},
  );
}
