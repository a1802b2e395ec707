import type { Caller } from '../../http/route.ts';
import { DEFAULT_RETENTION, type Policy, shortestRetention } from '../../intake/retention.ts';
import { Problem, unavailable } from '../../platform/problem.ts';

/** What an operator says of a client or a key. */
export interface RequestedRetention {
  inputSeconds?: number | undefined;
  outputSeconds?: number | undefined;
  recordSeconds?: number | undefined;
  store?: 'none' | undefined;
}

/** The operator's policy for all keys of a client. */
export type PolicyOf = (client: string) => Promise<RequestedRetention>;

/**
 * How long what comes of a request is kept: the tightest of what the operator says of the client and of
 * the key, and of what the request asks for.
 * @param outputSeconds as the request asks, or as is usual
 * @throws Problem conflict where nothing may be kept; upstream-unavailable
 */
export async function policyFor(
  caller: Pick<Caller, 'client' | 'retention'>,
  outputSeconds: number,
  policyOf: PolicyOf,
): Promise<Policy> {
  const ofClient = await policyOf(caller.client).catch((cause) => {
    throw unavailable('The retention policy cannot be read right now; try again', 1, cause);
  });
  const ofKey = caller.retention ?? {};
  if (ofClient.store === 'none' || ofKey.store === 'none') {
    throw new Problem(
      'conflict',
      'This key keeps nothing, so that only the synchronous endpoints are open to it: POST /bg/v1/background-removals or /taxonomy/v1/taxonomy',
    );
  }
  return shortestRetention({ ...DEFAULT_RETENTION, outputSeconds }, ofClient, ofKey);
}
