import { writeFile } from 'node:fs/promises';
import { canariesOf, eraseAll, foreignBytes, makeSecrets, quotaUsed, webhooksIn } from './audit.ts';
import {
  DEADLINE_SECONDS,
  type Installation,
  type Size,
  startInstallation,
} from './installation.ts';
import type { Found } from './invariants.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { eachEnd, referenceOf } from './load.ts';
import { blobsWithoutRecord, recordsWithoutBlob, sweepLater } from './store-audit.ts';
import type { StoreKind } from './stores.ts';
import type { Sent } from './ways.ts';
import { createWorld, type World } from './world.ts';

/** The tolerance of the contract for late responses. */
const SPARE_MILLIS = 250;

/** An installation with customers, before any fault. */
export interface Stage {
  installation: Installation;
  world: World;
  ledger: Ledger;
  /** Output hash of each image. */
  reference: ReadonlyMap<string, string>;
  /** Quota used for that, by client. */
  usedBefore: ReadonlyMap<string, number>;
  /** Registers a cleanup that runs at the end. */
  atEnd(undo: () => Promise<void>): void;
}

export interface StageSettings {
  /** The kind of storage. */
  store?: StoreKind;
  /** How many processes, and of which release; two of each, of this one, by default. */
  size?: Size | undefined;
  /** Images of a customer; each takes a removal before any work is sent. */
  picturesEach?: number;
  /** Ends everything early. */
  signal?: AbortSignal | undefined;
  /** A file for the logs of all processes. */
  logs?: string | undefined;
  /** Called with progress. */
  tell?(line: string): void;
}

/** Rejects when a signal aborts. */
export const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** Sets everything up, runs the campaign, and always cleans up. */
export async function onStage<T>(
  { store, size, picturesEach, signal, logs, tell }: StageSettings,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const installation = await startInstallation({}, store, size);
  const ledger = createLedger();
  const world = await createWorld(installation, ledger, picturesEach);
  const undos: (() => Promise<void>)[] = [];
  const atEnd = (undo: () => Promise<void>) => void undos.push(undo);
  async function all(): Promise<T> {
    await makeSecrets(world);
    const reference = await referenceOf(world);
    const usedBefore = await quotaUsed(world, new Map());
    Object.assign(ledger, createLedger());
    return play({ installation, world, ledger, reference, usedBefore, atEnd });
  }
  async function end(): Promise<void> {
    await world.close();
    await installation.stop();
    if (logs !== undefined) await writeFile(logs, installation.logs());
    for (const undo of undos) await undo();
  }
  try {
    return await Promise.race([all(), aborted(signal)]);
  } finally {
    // Logged, not thrown: it must not hide the original error.
    await end().catch((error) => tell?.(`not taken down: ${error.message}`));
  }
}

/**
 * Lets all that was sent come to its end, deletes it, and looks at what is left.
 * @param onSettled called when every end that can be asked is in the ledger
 */
export async function inspect(
  { installation, world, ledger, reference, usedBefore }: Stage,
  sent: readonly { work: Sent }[],
  { tell }: StageSettings,
  onSettled?: () => Promise<void>,
): Promise<Found> {
  tell?.(`${ledger.entries.size} accepted; waiting for the ends`);
  const settled = await eachEnd(sent, 'settle', tell);
  await onSettled?.();
  await eachEnd(settled, 'audit', tell);
  const webhookJobs = new Set(
    [...ledger.entries.values()].flatMap(({ way, id }) => (way === 'job' ? [id] : [])),
  );
  await webhooksIn(world, webhookJobs);
  const used = await quotaUsed(world, usedBefore);
  const lost = await recordsWithoutBlob(installation);
  const readableAfterEnd = await eraseAll(settled, tell);
  await sweepLater(installation);
  return {
    reference,
    webhookJobs,
    readableAfterEnd,
    quotaUsed: used,
    webhooks: world.hook.idsByJob,
    orphanBlobs: await blobsWithoutRecord(installation),
    recordsWithoutBlob: lost,
    logs: installation.logs(),
    canaries: await canariesOf(world),
    longestMillis: DEADLINE_SECONDS * 1000 + SPARE_MILLIS,
    foreignBytes: foreignBytes(ledger, reference),
  };
}
