import { readPicture } from './answer.ts';
import { batchesClient } from './batches.ts';
import { feedsClient } from './feeds.ts';
import type { Client, ClientOptions } from './interface.ts';
import { jobsClient } from './jobs.ts';
import { lookClient, taxonomyClient } from './look.ts';
import { formPayload } from './payload.ts';
import { createTransport } from './transport.ts';

export type * from './contract.ts';
export { type Fault, SelvageError } from './error.ts';
export type * from './interface.ts';

/**
 * A client of the service at `baseUrl`. Nothing is sent yet.
 * @throws SelvageError `key-refused` where a key would be readable by others
 * @throws TypeError where `baseUrl` is no http or https address
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options);
  const { ask, call } = transport;
  return {
    removeBackground(image, { signal, timeoutMillis, ...wishes } = {}) {
      const body = formPayload({ image, ...wishes });
      const sending = { method: 'POST', path: '/bg/v1/background-removals', body } as const;
      const read = readPicture(`image/${wishes.format ?? 'png'}`);
      return call(sending, read, { signal, timeoutMillis });
    },
    ...taxonomyClient(transport),
    look: lookClient(transport),
    jobs: jobsClient(transport),
    batches: batchesClient(transport),
    feeds: feedsClient(transport),
    usage: (callOptions) => ask({ method: 'GET', path: '/intake/v1/usage' }, callOptions),
  };
}
