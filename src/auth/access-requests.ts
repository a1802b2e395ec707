import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { type CreatedKey, type Grant, KeyError, type Keys } from './keys.ts';
import { SCOPES } from './scopes.ts';

const REQUESTS = `${PREFIX}:access-requests`;

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

/** A client's request for access and the operator's decision. */
export type AccessRequest = z.infer<typeof AccessRequest>;

type NewAccessRequest = Pick<AccessRequest, 'client' | 'contact' | 'scopes' | 'note'>;

/** Managed access: a client asks for scopes, the operator decides. */
export function createAccessRequests(redis: Redis, keys: Pick<Keys, 'create'>, now: Clock) {
  const timestamp = (): string => new Date(now()).toISOString();

  const save = async (request: AccessRequest): Promise<AccessRequest> => {
    await redis.hset(REQUESTS, request.id, JSON.stringify(request));
    return request;
  };

  async function readPending(id: string): Promise<AccessRequest> {
    const json = await redis.hget(REQUESTS, id);
    if (!json) {
      throw new KeyError(`There is no access request ${id}; "access list" shows all requests`);
    }
    const request = AccessRequest.parse(JSON.parse(json));
    if (request.status !== 'pending') {
      throw new KeyError(`Access request ${id} is already ${request.status}`);
    }
    return request;
  }

  return {
    create: (request: NewAccessRequest): Promise<AccessRequest> =>
      save({
        ...request,
        id: `req_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
        status: 'pending',
        requestedAt: timestamp(),
      }),

    /** Returns every request, oldest first. */
    list: async (): Promise<AccessRequest[]> =>
      (await redis.hvals(REQUESTS))
        .map((json) => AccessRequest.parse(JSON.parse(json)))
        .sort((a, b) => a.requestedAt.localeCompare(b.requestedAt)),

    /** Creates the requested key. Rejects with `KeyError` if the request is unknown or decided. */
    async approve(id: string, limits: Omit<Grant, 'client' | 'scopes'>): Promise<CreatedKey> {
      const request = await readPending(id);
      const { client, scopes } = request;
      const created = await keys.create({ ...limits, client, scopes });
      await save({
        ...request,
        status: 'approved',
        decidedAt: timestamp(),
        keyId: created.record.id,
      });
      return created;
    },

    /** Denies a request. Rejects with `KeyError` if it is unknown or decided. */
    async deny(id: string): Promise<AccessRequest> {
      return save({ ...(await readPending(id)), status: 'denied', decidedAt: timestamp() });
    },
  };
}

export type AccessRequests = ReturnType<typeof createAccessRequests>;
