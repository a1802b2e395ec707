import type { Call } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/log.ts';

/** Returns a call without a key, for handlers that are called without a server; it has no image, form or body. */
export const callOf = (more: Partial<Call> = {}): Call => ({
  requestId: 'req-1',
  caller: undefined,
  method: 'POST',
  remoteAddress: '127.0.0.1',
  baseUrl: 'http://selvage.example',
  params: {},
  query: {},
  body: {},
  headers: {},
  imageForm: () => Promise.reject(new Error('There is no image here')),
  form: () => Promise.reject(new Error('There is no form here')),
  bodyStream: () => {
    throw new Error('There is no stream here');
  },
  rateLimit: undefined,
  awaitMemory: async () => {},
  resizeQuota: async () => {},
  takeQuota: () => undefined,
  checkAccess: async () => {},
  signal: new AbortController().signal,
  closing: new AbortController().signal,
  log: createLog('test', 'silent'),
  ...more,
});
