import { afterAll, onTestFinished } from 'vitest';
import type { Grant } from '../../src/auth/key-record.ts';
import { batchClient } from './batches.ts';
import { keyClient } from './client.ts';
import { feedClient } from './feed-client.ts';
import { type FeedServer, startFeedServer } from './feed-server.ts';
import { intakeClient } from './intake.ts';
import { runProgram } from './processes.ts';
import { type SharedStack, shareStack } from './shared-stack.ts';
import { type Stack, startStack, untilServed } from './stack.ts';

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

/** Uses the stack that other files use too, for the tests of a file. @param grant of its key */
export const useSharedStack = async (grant?: Partial<Grant>) =>
  withClients(await shareStack(), grant);

/** Starts a further gateway of an installation, which ends with the test. */
export async function startGateway(
  { home, redis, settings }: Pick<SharedStack, 'home' | 'redis' | 'settings'>,
  env: NodeJS.ProcessEnv = {},
) {
  const own = { SELVAGE_HOME: home, REDIS_URL: redis.url, SELVAGE_DEV_KEY: '', PORT: '0' };
  const running = runProgram('src/main.ts', [], { ...own, ...settings, ...env });
  onTestFinished(async () => void (await running.end()));
  const { url, metricsAddress } = JSON.parse(
    await running.line((line) => line.includes('gateway ready')),
  );
  await untilServed(url);
  return { url: String(url), metricsPort: Number(metricsAddress?.port), output: running.output };
}

/** Starts a shop for the tests of a file. After that of a stack, so that it ends before the stack does. */
export async function useShop(): Promise<FeedServer> {
  const shop = await startFeedServer();
  afterAll(() => shop.close());
  return shop;
}

/** Uses the shared stack, and a shop whose pictures it may fetch. */
export const useCatalogue = async () => ({ ...(await useSharedStack()), shop: await useShop() });
