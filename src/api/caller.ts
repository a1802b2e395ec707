import type { RateLimitStatus } from '../http/limits.ts';
import type { Call, Caller } from '../http/route.ts';

const KEYLESS = 'this route needs a key, but its call has no caller';

export function requireCaller({ caller }: Pick<Call, 'caller'>): Caller {
  if (!caller) throw new Error(KEYLESS);
  return caller;
}

/** Returns who does what is recorded: a person, or the id of a key. */
export function actorOf(call: Pick<Call, 'caller'>): string {
  const { person, keyId } = requireCaller(call);
  return person ?? keyId;
}

export function requireRateLimitStatus({ rateLimit }: Pick<Call, 'rateLimit'>): RateLimitStatus {
  if (!rateLimit) throw new Error(KEYLESS);
  return rateLimit;
}
