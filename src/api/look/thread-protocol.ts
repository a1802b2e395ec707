import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import type { Language } from '../language.ts';
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
  /** Language of the response if the body names none. */
  preferred: Locale;
}

export interface ComputedJson {
  json: string;
  language?: Language;
}

/** The response, or a serialized problem. */
export type ThreadResult = ComputedJson | { problem: string };
