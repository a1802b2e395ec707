import type { Blobs } from '../../storage/blobs.ts';
import type { BatchRecord } from '../batches/batch-record.ts';
import { type Decided, decisionInEffect, type ReviewDecisions } from './decisions.ts';
import type { Refined } from './refined.ts';
import {
  type Carried,
  type CarriedDecisions,
  carriedRefined,
  getCarried,
  neededRows,
} from './review-files.ts';
import { thousandths } from './review-rows.ts';

/** Decisions about single pictures that one run hands to the next: the latest ones. */
const MAX_CARRIED = 50_000;

const NONE: CarriedDecisions = new Map();

interface Reviewed {
  blobs: Blobs;
  reviews: Pick<ReviewDecisions, 'readAll'>;
}

/** Applies the decisions about single rows, in the order in which they were made. */
function applyDecisions(carried: Map<string, Carried>, { decisions }: Decided, runId: string) {
  const inOrder = [...decisions.values()].sort((a, b) => a.sequence - b.sequence);
  for (const { decision, keyId, at, version } of inOrder) {
    const sha256 = version.cutout;
    const { refined } = carried.get(sha256) ?? {};
    carried.delete(sha256); // the latest decisions are the last
    if (decision === 'pending' && !refined) continue;
    const line = { sha256, decision, keyId, at, runId, isOwn: true };
    carried.set(sha256, { ...line, ...(refined && { refined }) });
  }
}

/**
 * Adds the newest version of each mended cut-out, with its decision: also while nobody has approved it, or somebody
 * would have to mend it again.
 */
function applyRefinements(carried: Map<string, Carried>, decided: Decided, runId: string) {
  const newestOf = new Map(
    [...carriedRefined(carried)].map(([original, { versions }]) => [original, versions.at(-1)]),
  );
  const inOrder = [...decided.refined]
    .map(([row, refined]) => ({ refined, own: decided.decisions.get(row) }))
    .sort((a, b) => (a.own?.sequence ?? 0) - (b.own?.sequence ?? 0));
  for (const { refined, own } of inOrder) {
    const { original, versions } = refined;
    const before = newestOf.get(original);
    if (before) carried.delete(before.sha256);
    const newest = versions.at(-1);
    newestOf.set(original, newest);
    if (!newest || !own) continue;
    const { sha256 } = newest;
    const decision = decisionInEffect(decided, own, undefined, refined.thousandths);
    const { keyId, at } = own;
    carried.delete(sha256); // the latest are the last
    const onlyNewest = { ...refined, versions: [newest] };
    const line = { sha256, decision, keyId, at, runId, isOwn: true, refined: onlyNewest };
    carried.set(sha256, line);
  }
}

/** Adds the pictures that bulk approvals have approved. @param mended in earlier runs, by the first cut-out */
async function applyRules(
  { blobs }: Reviewed,
  carried: Map<string, Carried>,
  mended: ReadonlyMap<string, Refined>,
  decided: Decided,
  run: BatchRecord,
): Promise<void> {
  const rule = decided.rules.at(-1);
  if (!rule) return;
  const { keyId, at } = rule;
  for await (const made of neededRows(blobs, run)) {
    if (decided.refined.has(made.row)) continue;
    const sha256 = mended.get(made.sha256)?.versions.at(-1)?.sha256 ?? made.sha256;
    const known = carried.get(sha256);
    if (known && known.decision !== 'pending') continue;
    const own = decided.decisions.get(made.row);
    const decision = decisionInEffect(decided, own, undefined, thousandths(made.confidence));
    if (decision === 'pending') continue;
    const by = { decision, keyId, at, runId: run.id };
    carried.set(sha256, { sha256, isOwn: false, ...known, ...by });
  }
}

/**
 * Returns the decisions in effect in a completed run, and its mended cut-outs, for the run that follows it: the same
 * cut-out needs no second look.
 */
export async function carriedFrom(
  deps: Reviewed,
  run: BatchRecord | undefined,
): Promise<CarriedDecisions> {
  if (!run?.review || run.status === 'expired') return NONE;
  const decided = await deps.reviews.readAll(run.id);
  const carried = new Map(await getCarried(deps.blobs, run));
  const mended = carriedRefined(carried);
  applyDecisions(carried, decided, run.id);
  applyRefinements(carried, decided, run.id);
  await applyRules(deps, carried, mended, decided, run);
  const own = [...carried.values()].filter(({ isOwn }) => isOwn);
  for (const { sha256 } of own.slice(0, Math.max(0, own.length - MAX_CARRIED))) {
    carried.delete(sha256);
  }
  return carried;
}
