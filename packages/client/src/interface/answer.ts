import type { WithRequestId } from './common.ts';

/** What a call resolves to: the JSON of the response, with its request id. */
export type Answer<T> = Promise<WithRequestId<T>>;
