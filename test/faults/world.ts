import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type Client, createClient } from '../../packages/client/src/client.ts';
import { type FeedServer, pictureOf, startFeedServer } from '../support/feed-server.ts';
import { listen } from '../support/free-port.ts';
import type { Installation } from './installation.ts';
import type { Ledger } from './ledger.ts';

/** The number of images of a customer, by default; customers share none. */
const PICTURES_EACH = 12;

/** A client with its own key and images. */
export interface Customer {
  name: string;
  key: string;
  client: Client;
  pictures: readonly number[];
}

/** The surroundings of an installation: customers, their shop, and their webhook receiver. */
export interface World {
  installation: Installation;
  ledger: Ledger;
  customers: Customer[];
  shop: FeedServer;
  hook: Hook;
  close(): Promise<void>;
}

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** An image with a new hash: bytes after the end of a JPEG are ignored. */
export async function freshPicture(picture: number): Promise<Buffer> {
  return Buffer.concat([await pictureOf(picture), randomBytes(16)]);
}

/** A webhook receiver that records the ids received for each job. */
export interface Hook {
  url: string;
  idsByJob: Map<string, Set<string>>;
  close(): void;
}

async function startHook(): Promise<Hook> {
  const idsByJob = new Map<string, Set<string>>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const job: string = JSON.parse(body).data.id;
    const ids = idsByJob.get(job) ?? new Set();
    idsByJob.set(job, ids.add(String(request.headers['webhook-id'])));
    response.end();
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, idsByJob, close: () => server.close() };
}

/** The quota a successful request costs. */
const isWork = (url: URL, method: string): boolean =>
  method === 'POST' && /background-removals$|\/jobs$/.test(url.pathname);

/**
 * `fetch` as a customer's balancer does it: the gateways in turn, the next one where one refuses the
 * connection. Notes how long synchronous answers took, and what ended so that nobody knows whether it counted.
 */
function balanced(installation: Installation, ledger: Ledger, customer: string): typeof fetch {
  let turn = 0;
  return async (input, init) => {
    const asked = new URL(String(input));
    const method = init?.method ?? 'GET';
    const { url } = installation.gateways[turn++ % installation.gateways.length]!;
    const isSync = asked.pathname.endsWith('background-removals');
    const unknown = () => {
      if (isWork(asked, method))
        ledger.unknowns.push({ way: isSync ? 'sync' : 'job', client: customer });
    };
    const startedAt = performance.now();
    try {
      const response = await fetch(`${url}${asked.pathname}${asked.search}`, init);
      const millis = performance.now() - startedAt;
      if (isSync) ledger.answers.push({ status: response.status, millis });
      if (response.status >= 500) unknown();
      return response;
    } catch (error) {
      unknown();
      throw error;
    }
  };
}

/** Creates customers and their surroundings. */
export async function createWorld(
  installation: Installation,
  ledger: Ledger,
  picturesEach = PICTURES_EACH,
): Promise<World> {
  const [shop, hook] = await Promise.all([startFeedServer(), startHook()]);
  const customers = await Promise.all(
    ['ada', 'bela', 'cleo'].map(async (name, i): Promise<Customer> => {
      const { key } = await installation.key(name);
      const client = createClient({
        baseUrl: 'http://selvage.test',
        key,
        fetch: balanced(installation, ledger, name),
        retry: { maxAttempts: 30, maxDelayMillis: 2000 },
      });
      const pictures = Array.from({ length: picturesEach }, (_, n) => i * picturesEach + n);
      return { name, key, client, pictures };
    }),
  );
  return {
    installation,
    ledger,
    customers,
    shop,
    hook,
    async close() {
      hook.close();
      await shop.close();
    },
  };
}
