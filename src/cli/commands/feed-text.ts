import type {
  FeedInspection,
  FeedLoss,
  FeedPlan,
  FeedReportImage,
  FeedReportLine,
  FeedRun,
} from '../../../packages/client/src/client.ts';
import { reviewTexts } from '../../output/review.ts';

/** Says what a held run would lose. */
export function formatLoss({ rows, pictures, first }: FeedLoss): string {
  const names = first.map(({ id }) => id).join(', ');
  const more = rows.lost > first.length ? ', …' : '';
  return `it would lose ${rows.lost} of ${rows.before} products and ${pictures.lost} of ${pictures.before} pictures${names && `: ${names}${more}`}. Nothing has changed.`;
}

const formatPlan = ({ products, links, photos, unreadable, units }: FeedPlan): string =>
  `${products} products, ${links} links, ${photos} photos, ${unreadable} unreadable, costs ${units} units at most`;

export function formatRun({ status, counts, problem, held, plan, duplicates }: FeedRun): string {
  if (plan) return formatPlan(plan);
  if (held) return `${status}: ${formatLoss(held)}`;
  const { rows, images, changed, unchanged, failed, rejected } = counts;
  const totals = `${rows} rows, ${images} images: ${changed} changed, ${unchanged} unchanged, ${failed} failed, ${rejected} rows rejected.`;
  const repeated = duplicates?.rows ? ` ${duplicates.rows} images repeat another.` : '';
  return problem ? `${status}: ${problem.detail}` : `${status}: ${totals}${repeated}`;
}

/** Says what to look at in a cut-out; empty if no review is needed. */
const toCheck = (review: FeedReportImage['review']): string =>
  review?.needed ? `please check: ${reviewTexts(review).join('. ')}` : '';

/** Returns table rows: line, id, image, outcome, reason. */
export function toTableRows(line: FeedReportLine): string[][] {
  if (line.kind === 'run') return [];
  if (line.kind === 'notes')
    return line.notes.map((note) => [String(note.line), '', '', 'note', note.detail]);
  if (line.kind === 'rejected')
    return [[String(line.line), line.id ?? '', '', 'rejected', line.reasons.join('; ')]];
  return line.images.map((image) => [
    String(line.line),
    line.id,
    image.url,
    image.outcome,
    image.reason ?? toCheck(image.review),
  ]);
}

export function inspectionText(inspection: FeedInspection): string {
  const { format = '?', preset = 'nothing known', columns, notes, sample, rejections } = inspection;
  const read = Object.entries(columns).map(([column, labels]) => `${column}: ${labels.join(', ')}`);
  return [
    `${format}, read as ${preset}; ${inspection.rows} rows, ${inspection.rejected} rejected`,
    ...read,
    ...sample.map(({ line, id, images }) => `line ${line}: ${id} ${images.join(' ')}`),
    ...rejections.map(({ line, detail }) => `line ${line}: ${detail}`),
    ...notes.map(({ line, detail, count }) => `note: ${detail} (line ${line}, ${count} times)`),
    ...(inspection.problem ? [`problem: ${inspection.problem.detail}`] : []),
  ].join('\n');
}
