import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import {
  type Decided,
  type Decision,
  decisionInEffect,
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

/** What was said with a decision. */
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
  if (own?.decision === decision) {
    return { decision, revision, source: 'row' as const, ...by(own), ...saidWith(own) };
  }
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
