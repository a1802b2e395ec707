import { expect, onTestFinished } from 'vitest';
import { SafeFetch, type SafeFetchSettings } from '../../../workers/fetch/safe-fetch.ts';

export const SMALL = { maxBytes: 1000 };

/** A client that may fetch from this machine, for one test. */
export function fetcher(settings: Partial<SafeFetchSettings> = {}) {
  const safe = new SafeFetch({ allow: ['127.0.0.0/8'], userAgent: 'Selvage/test', ...settings });
  onTestFinished(() => safe.close());
  return safe;
}

/**
 * A client with a fake DNS: each lookup takes the next answer, and then the last one repeatedly; `asked` are the names.
 * Host names are rejected after less time than by default.
 */
export function resolvingFetcher(
  answers: readonly string[][],
  { limits, ...settings }: Partial<SafeFetchSettings> = {},
) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  const safe = fetcher({ resolve, limits: { hostRejectionMillis: 10, ...limits }, ...settings });
  return { safe, asked };
}

export const fetchError = (reason: string, more = {}) =>
  expect.objectContaining({ name: 'FetchError', reason, ...more });

/** Of a name that leads to a private address. Clients are not told that it exists; the operator is. */
export const PRIVATE_NAME = fetchError('dns', { cause: fetchError('private-address') });

/** Expects a fetch, or another promise, to be rejected for this reason. */
export const expectRejected = (attempt: Promise<unknown>, reason: string, more = {}) =>
  expect(attempt).rejects.toThrow(fetchError(reason, more));
