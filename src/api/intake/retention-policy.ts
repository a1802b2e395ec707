import type { Retention } from '../../auth/client-retention.ts';
import type { Caller } from '../../http/route.ts';
import { DEFAULT_RETENTION, type Policy, shortestRetention } from '../../intake/retention.ts';
import { Problem } from '../../platform/problem.ts';
import { throwUnavailable } from '../common-problems.ts';

/** Reads the operator's limits for all keys of a client. */
export type ReadClientLimits = (client: string) => Promise<Retention>;

const policyUnavailable = throwUnavailable(
  'The retention policy cannot be read right now; try again',
);

/**
 * Returns how long the data of a request is retained: the shortest of the request's, the key's and
 * the client's policy applies.
 * @param outputSeconds as requested, or the default
 * @throws Problem conflict if the client or the key may retain nothing; upstream-unavailable
 */
export async function retentionPolicy(
  caller: Pick<Caller, 'client' | 'retention'>,
  outputSeconds: number,
  readClientLimits: ReadClientLimits,
): Promise<Policy> {
  const clientLimits = await readClientLimits(caller.client).catch(policyUnavailable);
  const keyLimits = caller.retention ?? {};
  if (clientLimits.store === 'none' || keyLimits.store === 'none') {
    throw new Problem(
      'conflict',
      'This key does not allow storage, so it can use only the synchronous endpoints: POST /bg/v1/background-removals or /taxonomy/v1/taxonomy',
    );
  }
  return shortestRetention({ ...DEFAULT_RETENTION, outputSeconds }, clientLimits, keyLimits);
}
