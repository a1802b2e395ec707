import { DEFAULT_LIMITS } from '../../src/auth/key-record.ts';
import type { Call } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/log.ts';

/** Returns a call for handlers that are called without a server; it has no image, form or body. */
export const callOf = (more: Partial<Call> = {}): Call => ({
  requestId: 'req-1',
  client: more.caller?.client ?? 'client',
  caller: {
    ...{ client: 'client', keyId: 'key_1', meter: 'client', quotaPerDay: 1 },
    ...{ scopes: [], rights: [], allowBase64: false, rate: { count: 1, periodSeconds: 1 } },
    ...DEFAULT_LIMITS,
  },
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
  rateLimit: {
    rate: { limit: 1, remaining: 1, resetSeconds: 1, windowSeconds: 1 },
    quota: { limit: 1, remaining: 1, resetSeconds: 1 },
  },
  awaitMemory: async () => {},
  resizeQuota: async () => {},
  takeQuota: () => undefined,
  checkAccess: async () => {},
  signal: new AbortController().signal,
  closing: new AbortController().signal,
  log: createLog('test', 'silent'),
  ...more,
});
