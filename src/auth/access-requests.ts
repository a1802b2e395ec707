import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type CreatedKey, type Grant, KeyError, type Keys } from './keys.ts';
import { SCOPES } from './scopes.ts';

const REQUESTS = '{selvage}:access-requests';

const AccessRequest = z.object({
  id: z.string(),
  client: z.string(),
  contact: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  note: z.string().optional(),
  status: z.enum(['pending', 'approved', 'denied']),
  requestedAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().optional(),
  keyId: z.string().optional(),
});

/** A client's wish for access, and what became of it. */
export type AccessRequest = z.infer<typeof AccessRequest>;

export type NewAccessRequest = Pick<AccessRequest, 'client' | 'contact' | 'scopes' | 'note'>;

/** Managed access: a client asks, naming services and scopes; the operator decides. */
export function createAccessRequests(redis: Redis, keys: Keys) {
  const save = async (request: AccessRequest): Promise<AccessRequest> => {
    await redis.hset(REQUESTS, request.id, JSON.stringify(request));
    return request;
  };

  async function pending(id: string): Promise<AccessRequest> {
    const json = await redis.hget(REQUESTS, id);
    if (!json) throw new KeyError(`There is no access request ${id}; "access list" shows them`);
    const request = AccessRequest.parse(JSON.parse(json));
    if (request.status !== 'pending')
      throw new KeyError(`Access request ${id} is already ${request.status}`);
    return request;
  }

  return {
    request: (wish: NewAccessRequest): Promise<AccessRequest> =>
      save({
        ...wish,
        id: `req_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
        status: 'pending',
        requestedAt: new Date().toISOString(),
      }),

    list: async (): Promise<AccessRequest[]> =>
      (await redis.hvals(REQUESTS))
        .map((json) => AccessRequest.parse(JSON.parse(json)))
        .sort((a, b) => a.requestedAt.localeCompare(b.requestedAt)),

    /** Makes the key the request asked for. Throws `KeyError` where it is unknown or decided. */
    async approve(id: string, limits: Omit<Grant, 'client' | 'scopes'>): Promise<CreatedKey> {
      const request = await pending(id);
      const made = await keys.create({ ...limits, client: request.client, scopes: request.scopes });
      await save({
        ...request,
        status: 'approved',
        decidedAt: new Date().toISOString(),
        keyId: made.record.id,
      });
      return made;
    },

    async deny(id: string): Promise<AccessRequest> {
      return save({
        ...(await pending(id)),
        status: 'denied',
        decidedAt: new Date().toISOString(),
      });
    },
  };
}
