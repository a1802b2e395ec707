import { Problem } from '../platform/problem.ts';

/** Ends the work for a client that has left; nobody reads it. */
export const CLIENT_DISCONNECTED = new Problem('request-timeout', 'The client disconnected');
