import type { Blobs } from '../../storage/blobs.ts';
import type { BatchRecord } from '../batches/batches.ts';
import { type Decided, decisionInEffect, type ReviewDecisions } from './decisions.ts';
import { type Carried, type CarriedDecisions, getCarried, neededRows } from './review-files.ts';
import { thousandths } from './review-rows.ts';

/** Decisions about single pictures that one run hands to the next: the latest ones. */
const MAX_CARRIED = 50_000;

const NONE: CarriedDecisions = new Map();

interface CarryOverDeps {
  blobs: Blobs;
  decisions: Pick<ReviewDecisions, 'readAll'>;
}

/** Applies the decisions about single rows, in the order in which they were made. */
function applyDecisions(carried: Map<string, Carried>, { decisions }: Decided, runId: string) {
  const inOrder = [...decisions.values()].sort((a, b) => a.sequence - b.sequence);
  for (const { decision, keyId, at, version } of inOrder) {
    const sha256 = version.cutout;
    carried.delete(sha256); // the latest decisions are the last
    if (decision !== 'pending') {
      carried.set(sha256, { sha256, decision, keyId, at, runId, isOwn: true });
    }
  }
}

/** Adds the pictures that bulk approvals have approved. */
async function applyRules(
  { blobs }: CarryOverDeps,
  carried: Map<string, Carried>,
  decided: Decided,
  run: BatchRecord,
): Promise<void> {
  const rule = decided.rules.at(-1);
  if (!rule) return;
  const { keyId, at } = rule;
  for await (const { row, sha256, confidence } of neededRows(blobs, run)) {
    if (carried.has(sha256)) continue;
    const own = decided.decisions.get(row);
    const decision = decisionInEffect(decided, own, undefined, thousandths(confidence));
    if (decision === 'pending') continue;
    carried.set(sha256, { sha256, decision, keyId, at, runId: run.id, isOwn: false });
  }
}

/**
 * Returns the decisions in effect in a completed run, for the run that follows it: the same cut-out needs no
 * second look.
 */
export async function carriedFrom(
  deps: CarryOverDeps,
  run: BatchRecord | undefined,
): Promise<CarriedDecisions> {
  if (!run?.review || run.status === 'expired') return NONE;
  const decided = await deps.decisions.readAll(run.id);
  const carried = new Map(await getCarried(deps.blobs, run));
  applyDecisions(carried, decided, run.id);
  await applyRules(deps, carried, decided, run);
  const own = [...carried.values()].filter(({ isOwn }) => isOwn);
  for (const { sha256 } of own.slice(0, Math.max(0, own.length - MAX_CARRIED))) {
    carried.delete(sha256);
  }
  return carried;
}
