import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import type { StoredAccess } from '../../queue/job-data.ts';
import { seal, unseal } from '../seal.ts';

const Headers = z.record(z.string(), z.string());
type Headers = z.infer<typeof Headers>;

export interface AccessRequest {
  username?: string | undefined;
  password?: string | undefined;
  headers?: Headers | undefined;
  origin?: string | undefined;
  userAgent?: string | undefined;
  referer?: string | undefined;
}

/** What is sent with the request for a link. */
interface LinkAccess {
  /** Secrets: not sent to another origin. */
  headers?: Headers;
  userAgent?: string | undefined;
  referer?: string | undefined;
}

const ownerOf = (client: string): string => `feed-access:${client}`;

/** Encrypts what protected feeds are read with, and reads it for the links that may have it. */
export class FeedAccess {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** @param url of the feed; its origin gets the secrets unless another is named */
  async store(client: string, request: AccessRequest, url?: string): Promise<StoredAccess> {
    const { username, password = '', headers: own = {}, userAgent, referer } = request;
    const link = request.origin ?? url;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const headers = { ...own, ...(username !== undefined && { authorization: `Basic ${basic}` }) };
    const names = Object.keys(headers);
    if (names.length > 0 && link === undefined) {
      const detail = 'Name the origin that gets the password or the headers: https://shop.example';
      throw new Problem('invalid-request', detail, {
        errors: [{ pointer: '/access/origin', detail: 'is required: the feed has no URL' }],
      });
    }
    const sealed =
      names.length > 0 && (await seal(this.#redis, ownerOf(client), JSON.stringify(headers)));
    return {
      origin: link === undefined ? '' : new URL(link).origin,
      headers: names,
      ...(sealed && { sealed }),
      ...(userAgent !== undefined && { userAgent }),
      ...(referer !== undefined && { referer }),
    };
  }

  /** @throws Problem if the secrets cannot be read any more */
  async forLink(
    client: string,
    access: StoredAccess | undefined,
    url: string,
  ): Promise<LinkAccess> {
    if (!access) return {};
    const { sealed, userAgent, referer } = access;
    const open = { userAgent, referer };
    if (sealed === undefined || new URL(url).origin !== access.origin) return open;
    const text = await unseal(this.#redis, ownerOf(client), sealed);
    if (text !== undefined) return { ...open, headers: Headers.parse(JSON.parse(text)) };
    const detail = 'The password of the feed can no longer be read; set its access again';
    throw new Problem('invalid-request', detail);
  }
}
