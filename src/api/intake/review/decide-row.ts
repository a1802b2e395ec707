import type { Gateway } from '../../../gateway.ts';
import type { Call, Caller } from '../../../http/route.ts';
import { type BatchRecord, batchReviewedEntry } from '../../../intake/batches/batch-record.ts';
import { dropRecorded, putDecision } from '../../../intake/review/audit.ts';
import {
  type Decided,
  type Decision,
  decisionInEffect,
  type RefinedChange,
  type ReviewDecisions,
  type StoredDecision,
} from '../../../intake/review/decisions.ts';
import type { MendedRow, MendedRows } from '../../../intake/review/refined.ts';
import type { CarriedDecisions } from '../../../intake/review/review-files.ts';
import { thousandths } from '../../../intake/review/review-rows.ts';
import { Problem } from '../../../platform/problem.ts';

/** What was decided about some rows and mended of them, here and in earlier runs. */
export interface Known extends Decided, MendedRows {
  carried: CarriedDecisions;
}

const saidWith = ({ note, category }: Pick<Decision, 'note' | 'category'>) => ({
  ...(note !== undefined && { note }),
  ...(category !== undefined && { category }),
});

/** Returns the decision in effect about a row, as members of a response. */
export function decisionMembers({ client }: BatchRecord, row: MendedRow, known: Known) {
  const own = known.decisions.get(row.row);
  const earlier = known.carried.get(row.sha256);
  const min = thousandths(row.confidence);
  const decision = decisionInEffect(known, own, earlier?.decision, min);
  const by = ({ keyId, at }: { keyId: string; at: string }) => ({
    decidedAt: at,
    decidedBy: { client, keyId },
  });
  const revision = own?.revision ?? 0;
  if (own?.decision === decision)
    return { decision, revision, source: 'row' as const, ...by(own), ...saidWith(own) };
  if (!own && earlier?.decision === decision)
    return { decision, revision, source: 'earlier-run' as const, ...by(earlier) };
  const since = own?.sequence ?? 0;
  const rule = known.rules.find((each) => each.min <= min && each.sequence > since);
  if (decision === 'pending' || !rule) return { decision, revision };
  return { decision, revision, source: 'bulk' as const, ...by(rule) };
}

/** Returns a decision as a line of a row's history. */
export const toHistoryLine = (
  client: string,
  { revision, decision, keyId, at, version, ...said }: Decision,
) => ({
  revision,
  decision,
  ...saidWith(said),
  decidedAt: at,
  decidedBy: { client, keyId },
  version: {
    cutoutSha256: version.cutout,
    inputSha256: version.input,
    ...(version.refinements !== undefined && { refinements: version.refinements }),
  },
});

/** For a decision that somebody else has made in the meantime. */
export function decisionConflict(client: string, present: StoredDecision | undefined): Problem {
  const { version, ...rest } = present
    ? toHistoryLine(client, present)
    : { revision: 0, decision: 'pending', version: undefined };
  const line = { ...rest, ...(version?.refinements && { refinements: version.refinements }) };
  const detail = 'The row has another revision: see "present", and send its revision to change it';
  return new Problem('conflict', detail, { members: { present: line } });
}

export const noReview = (): Problem =>
  new Problem(
    'conflict',
    'There is no review: no row was processed, or by a release without reviews',
  );

const LIMITS = {
  'too-many': 'Too many rows are decided one by one; approve the others in bulk',
  'too-many-refinements':
    'Too many cut-outs of this batch or run are mended; no more are retained. Undo some',
} as const;

/** Returns who is named beside a decision: a person, or the id of a key. */
export const actorOf = ({ caller: { person, keyId } }: Pick<Call, 'caller'>): string =>
  person ?? keyId;

/** Whether a request was repeated: the present decision is the one it has made. */
const isSame = (
  present: Decision,
  { revision, decision, note, category, keyId, version }: Decision,
) =>
  present.category === category &&
  present.revision === revision &&
  present.decision === decision &&
  present.note === note &&
  present.keyId === keyId &&
  present.version.cutout === version.cutout;

export interface DecidedRow {
  batch: BatchRecord;
  /** With its newest cut-out. */
  row: MendedRow;
  known: Known;
}

/** Records what was decided, for a Redis that loses its data. @param put writes it to object storage */
export async function recordDecided(
  { batches, blobs }: Pick<Gateway, 'batches' | 'blobs'>,
  batch: BatchRecord,
  put: () => Promise<void>,
): Promise<void> {
  await put();
  const current = await batches.get(batch.id);
  if (!current || current.status === 'expired') await dropRecorded(blobs, batch);
}

/** Decides in Redis. A decision that is repeated gets the one it has made; a change is made once. */
async function decideOnce(
  { reviews }: Pick<Gateway, 'reviews'>,
  batch: BatchRecord,
  row: Parameters<ReviewDecisions['decide']>[1],
  decision: Decision,
  change: RefinedChange | undefined,
): Promise<StoredDecision> {
  const outboxEntry = batchReviewedEntry(batch, batch.status, Date.parse(decision.at));
  const options = { expected: decision.revision - 1, outboxEntry, change };
  const reply = await reviews.decide(batch.id, row, decision, options);
  if (reply.outcome === 'decided') return { ...decision, sequence: reply.sequence };
  if (reply.outcome === 'no-review') throw noReview();
  if (reply.outcome !== 'conflict') throw new Problem('conflict', LIMITS[reply.outcome]);
  const { present } = reply;
  if (!change && present && isSame(present, decision)) return present;
  throw decisionConflict(batch.client, present);
}

/** Learns the category of a row for its shop's path, or takes back what was learnt of it. */
async function learn(
  { learnedCategories }: Gateway,
  { client, id }: BatchRecord,
  { row, shopPath }: MendedRow,
  before: string | undefined,
  category: string | undefined,
): Promise<void> {
  if (shopPath === undefined || (category === undefined && before === undefined)) return;
  await learnedCategories.decide(client, shopPath, `${id}/${row}`, category);
}

/**
 * Decides about a row, and with the decision may change which mended cut-outs it has.
 * @throws Problem conflict with the present decision; upstream-unavailable
 */
export async function decideRow(
  services: Gateway,
  caller: Caller,
  { batch, row, known }: DecidedRow,
  made: Decision,
  change?: RefinedChange,
): Promise<void> {
  const before = known.decisions.get(row.row)?.category;
  // A mended cut-out is of the same garment.
  const decision = change && before !== undefined ? { category: before, ...made } : made;
  const decided = {
    row: row.row,
    needed: row.needed,
    thousandths: thousandths(row.confidence),
    carried: known.carried.get(row.sha256)?.decision,
  };
  const refined = change?.refined ?? known.refined.get(row.row);
  const stored = await decideOnce(services, batch, decided, decision, change);
  const entry = { ...stored, ...decided, ...(refined && { refined }) };
  await recordDecided(services, batch, () => putDecision(services.blobs, batch, entry));
  await learn(services, batch, row, before, decision.category);
  await services.storedBytes.add(caller, Buffer.byteLength(JSON.stringify(entry)));
}
