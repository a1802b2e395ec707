import { clientError } from './error.ts';
import type { CallOptions, ClientOptions, ImageResponse, WithRequestId } from './interface.ts';
import { readImage } from './response.ts';
import type { RetryPolicy } from './retry.ts';
import { createTransport, type HttpRequest, type Payload } from './transport.ts';

type Query = HttpRequest['query'];

const PAGE_ITEMS = 100;

/** A transport, and its usual calls in short: path, options, and what is sent. */
export function createCalls(clientOptions: ClientOptions) {
  const transport = createTransport(clientOptions);
  const { request, requestJson } = transport;
  const policy: RetryPolicy = transport.policy;
  const get = <T extends object>(
    path: string,
    options?: CallOptions,
    query?: Query,
  ): Promise<WithRequestId<T>> => requestJson<T>({ method: 'GET', path, query }, options);

  return {
    ...transport,
    policy,
    get,
    post: <T extends object>(path: string, options?: CallOptions, body?: Payload) =>
      requestJson<T>({ method: 'POST', path, body }, options),
    put: <T extends object>(path: string, options?: CallOptions, body?: Payload) =>
      requestJson<T>({ method: 'PUT', path, body }, options),
    remove: <T extends object>(path: string, options?: CallOptions) =>
      requestJson<T>({ method: 'DELETE', path }, options),
    /** @param mediaTypes those expected; by default every type known */
    getImage: (path: string, options?: CallOptions, ...mediaTypes: string[]) =>
      request<ImageResponse>({ method: 'GET', path }, readImage(...mediaTypes), options),

    /** Returns the list that is a member of the response. @throws SelvageError `damaged-answer` if it is not there */
    async getList<Item>(path: string, member: string, options?: CallOptions, query?: Query) {
      const response = await get<Record<string, Item[]>>(path, options, query);
      const { [member]: list, requestId } = response;
      if (list) return list;
      throw clientError('damaged-answer', `The response has no ${member}`, { requestId });
    },

    /** Yields what all pages of a list have, from the first one on. */
    async *readPages<Page extends { links?: { next: string } }, Item>(
      path: string,
      itemsOf: (page: Page) => readonly Item[],
      options?: CallOptions,
      query?: Query,
    ): AsyncGenerator<Item> {
      let cursor: string | undefined;
      do {
        const page: Page = await get<Page>(path, options, { ...query, limit: PAGE_ITEMS, cursor });
        yield* itemsOf(page);
        cursor = new URLSearchParams(page.links?.next.split('?')[1]).get('cursor') ?? undefined;
      } while (cursor !== undefined);
    },
  };
}

export type Calls = ReturnType<typeof createCalls>;
