import type { ComputationName } from './compute.ts';

/** What a thread is started with: secrets stay out of its environment. */
export interface ThreadData {
  signingKeys: string;
}

/** One request for a thread. Text crosses threads faster than objects. */
export interface ThreadTask {
  name: ComputationName;
  /** As it arrived; undefined if the request has no JSON. */
  body: string | undefined;
}

/** The response as JSON, or a serialized problem. */
export type ThreadResult = { json: string } | { problem: string };
