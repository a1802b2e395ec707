import { afterAll } from 'vitest';
import type { Grant } from '../../src/auth/key-record.ts';
import { batchClient } from './batches.ts';
import { keyClient } from './client.ts';
import { feedClient } from './feed-client.ts';
import { type FeedServer, startFeedServer } from './feed-server.ts';
import { intakeClient } from './intake.ts';
import { type SharedStack, shareStack } from './shared-stack.ts';
import { type Stack, startStack } from './stack.ts';

/** Creates a key, and clients that send requests with it; stops the stack after the last test of the file. */
async function withClients<S extends Stack | SharedStack>(stack: S, grant: Partial<Grant> = {}) {
  afterAll(() => stack.stop());
  const { key, record } = await stack.key(grant);
  return {
    stack,
    key,
    record,
    ...keyClient(stack, key),
    intake: intakeClient(stack, key),
    batches: batchClient(stack, key),
    feeds: feedClient(stack, key),
  };
}

/** Starts an installation for the tests of a file. @param grant of its key */
export const useStack = async (env?: NodeJS.ProcessEnv, grant?: Partial<Grant>) =>
  withClients(await startStack(env), grant);

/** Uses the stack that other files use too, for the tests of a file. */
export const useSharedStack = async () => withClients(await shareStack());

/** Starts a shop for the tests of a file. After that of a stack, so that it ends before the stack does. */
export async function useShop(): Promise<FeedServer> {
  const shop = await startFeedServer();
  afterAll(() => shop.close());
  return shop;
}

/** Uses the shared stack, and a shop whose pictures it may fetch. */
export const useCatalogue = async () => ({ ...(await useSharedStack()), shop: await useShop() });
