import { type BatchClient, batchClient } from './batches.ts';
import { type FeedClient, feedClient } from './feed-client.ts';
import { type FeedServer, startFeedServer } from './feed-server.ts';
import { type SharedStack, shareStack } from './shared-stack.ts';

/** A running service, a shop whose pictures it may fetch, and a client that sends batches and feeds. */
export interface Catalogue {
  stack: SharedStack;
  shop: FeedServer;
  /** API key of the client. */
  key: string;
  batches: BatchClient;
  feeds: FeedClient;
  stop(): Promise<void>;
}

/** Starts a shop beside a shared service. */
export async function startCatalogue(): Promise<Catalogue> {
  const [stack, shop] = await Promise.all([shareStack(), startFeedServer()]);
  const { key } = await stack.key();
  return {
    stack,
    shop,
    key,
    batches: batchClient(stack, key),
    feeds: feedClient(stack, key),
    async stop() {
      await Promise.all([stack.stop(), shop.close()]);
    },
  };
}
