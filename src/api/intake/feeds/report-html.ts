import { reviewTexts } from '../../../output/review.ts';
import type { Verdict } from '../../../output/rules/verdicts.ts';
import type { Classification } from '../../../taxonomy/response-schema.ts';
import { escapeHtml } from '../../escape-html.ts';
import type { ImageLine, NotesLine, ProductLine } from './report-lines.ts';
import { classCells, garmentName, garmentsOf, type Report } from './report-model.ts';
import type { RunCounts, RunResponse } from './response.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --ground: #fff;
  --good: #116329; --same: #59636e; --bad: #b3261e; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4ae; --line: #3d444d;
  --ground: #14181d; --good: #6fdd8b; --same: #9aa4ae; --bad: #ffb4ab; --link: #a8c7fa } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem; max-width: 75rem; color: var(--ink); background: var(--ground);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0 } .soft { color: var(--soft) } a { color: var(--link) }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1rem 0 }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem }
dt { color: var(--soft); font-size: .875rem } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums }
.problem { border-left: .25rem solid var(--bad); padding: .5rem .75rem; margin: 1rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; min-width: 40rem }
caption { text-align: left; color: var(--soft); padding-bottom: .5rem }
th, td { text-align: left; vertical-align: top; padding: .5rem .5rem; border-top: 1px solid var(--line);
  overflow-wrap: break-word }
thead th { border-top: 0 } tbody th { font-weight: 600 } td.number { text-align: right; white-space: nowrap }
ul { margin: 0; padding: 0; list-style: none } li + li { margin-top: .25rem }
.changed { color: var(--good) } .unchanged { color: var(--same) }
.failed, .rejected, .stale, .not-done, .check { color: var(--bad); font-weight: 600 }
`;

const OUTCOME_LABELS: Readonly<Record<ImageLine['outcome'] | 'rejected', string>> = {
  changed: 'changed',
  unchanged: 'unchanged',
  stale: 'stale',
  failed: 'failed',
  'not-done': 'not processed',
  rejected: 'rejected',
};

const STATUS_LABELS: Partial<Record<RunResponse['status'], string>> = {
  completed: 'Completed',
  canceled: 'Canceled',
  canceling: 'Being canceled',
  failed: 'Failed',
};

const TOTALS: readonly [count: keyof RunCounts, label: string][] = [
  ['rows', 'Rows in the feed'],
  ['images', 'Images'],
  ['changed', 'Changed'],
  ['unchanged', 'Unchanged'],
  ['stale', 'Stale'],
  ['failed', 'Failed'],
  ['rejected', 'Rejected rows'],
];

const outcomeLabel = (outcome: keyof typeof OUTCOME_LABELS): string =>
  `<span class="${outcome}">${OUTCOME_LABELS[outcome]}</span>`;

const link = (url: string, label: string): string =>
  `<a href="${escapeHtml(url)}" rel="noreferrer noopener">${escapeHtml(label)}</a>`;

const totalOf = (label: string, count: number): string =>
  `<div><dt>${label}</dt><dd>${count.toLocaleString('en')}</dd></div>`;

function pageHead(run: RunResponse): string {
  const { id, feedId, status, counts, createdAt, finishedAt, problem, duplicates } = run;
  const totals = TOTALS.map(([name, label]) => totalOf(label, counts[name]));
  if (duplicates) totals.push(totalOf('Repeated pictures', duplicates.rows));
  const time = (at: string) =>
    `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 16).replace('T', ' '))} UTC</time>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Report for ${escapeHtml(id)}</title><style>${STYLE}</style></head><body>
<header><h1>Feed report</h1>
<p>${escapeHtml(STATUS_LABELS[status] ?? 'In progress')}. Started ${time(createdAt)}${
    finishedAt ? `, ended ${time(finishedAt)}` : ''
  }.</p>
<p class="soft">Feed ${escapeHtml(feedId)}, run ${escapeHtml(id)}</p></header>
<main>${problem ? `<p class="problem" role="alert">${escapeHtml(problem.detail)}</p>` : ''}
<section aria-labelledby="totals"><h2 id="totals">Totals</h2><dl>${totals.join('')}</dl></section>
<section aria-labelledby="products"><h2 id="products">Products</h2>
<div class="wide" role="region" aria-labelledby="products" tabindex="0"><table>
<caption>All rows of the feed in their original order. Line numbers start at 1.</caption>
<thead><tr><th scope="col">Line</th><th scope="col">Product</th><th scope="col">Title</th><th scope="col">Outcome</th></tr></thead><tbody>
`;
}

/** Empty if nothing was noticed. */
function reviewText(review: ImageLine['review']): string {
  if (!review || review.reasons.length === 0) return '';
  const label = review.needed ? '<span class="check">Please check</span>' : 'Noticed';
  return `<br>${label}: ${escapeHtml(reviewTexts(review).join('. '))}.`;
}

/** Empty if none has. */
function duplicateText({ duplicateOf }: ImageLine): string {
  if (!duplicateOf) return '';
  const { customId, image = 0, similarity } = duplicateOf;
  const percent = Math.round(similarity * 100);
  return `<br>Same picture as image ${image + 1} of ${escapeHtml(customId)} (${percent}% alike)`;
}

const limitText = ({ min, max, oneOf }: Verdict['limit']): string =>
  [min !== undefined && `at least ${min}`, max !== undefined && `at most ${max}`, oneOf?.join(', ')]
    .filter(Boolean)
    .join(', ');

/** Empty if it has none. */
function rulesText(rules: ImageLine['rules']): string {
  if (!rules) return '';
  const failed = rules.verdicts.filter(({ passed }) => !passed);
  const texts = failed.map(
    ({ id, measured, limit, advice }) => `${id} is ${measured}, ${limitText(limit)}. ${advice}.`,
  );
  const text = failed.length > 0 ? texts.join(' ') : 'all met.';
  return `<br>Rules of ${escapeHtml(rules.pack)}: ${escapeHtml(text)}`;
}

/** Each a link to its cut-out; empty if they were not separated. */
function garmentsText(image: ImageLine, index: number, id: string, report: Report): string {
  const garments = garmentsOf(image, id, index, report)?.garments ?? [];
  if (garments.length === 0) return '';
  const names = garments.map((garment) => {
    const url = garment.cutout?.url;
    return url ? link(url, garmentName(garment)) : escapeHtml(garmentName(garment));
  });
  return `<br>Garments: ${names.join(', ')}`;
}

function imageItem(image: ImageLine, index: number, id: string, report: Report): string {
  const { url, outcome, reason, review, rules, staleSince } = image;
  const pictureUrl = report.linkOf(id, index, image);
  const picture = pictureUrl ? `, ${link(pictureUrl, 'picture')}` : '';
  const since = staleSince ? ` since ${escapeHtml(staleSince.slice(0, 10))}` : '';
  const explanation = `${since}${reason ? `: ${escapeHtml(reason)}` : ''}`;
  const links = `(${link(url, 'original')}${picture})`;
  const texts = [
    reviewText(review),
    rulesText(rules),
    garmentsText(image, index, id, report),
    duplicateText(image),
  ];
  return `<li>Image ${index + 1} ${outcomeLabel(outcome)}${explanation} ${links}${texts.join('')}</li>`;
}

function classificationItems(classification: Classification): string[] {
  const { category } = classification;
  const cells = classCells(classification);
  const percent = category ? ` (${Math.round(category.confidence * 100)}%)` : '';
  const texts = [
    category ? `Class: ${category.label}${percent}` : 'No known garment',
    cells.colors && `Colours: ${cells.colors}`,
    cells.materials && `Materials: ${cells.materials}`,
    cells.attributes && `Attributes: ${cells.attributes}`,
    cells.review && `Review: ${cells.review}`,
  ];
  return texts.filter(Boolean).map((text) => `<li>${escapeHtml(text)}</li>`);
}

function productRow(product: ProductLine, report: Report): string {
  const { line, id = '', title = '' } = product;
  const items =
    product.kind === 'rejected'
      ? product.reasons.map(
          (reason) => `<li>${outcomeLabel('rejected')}: ${escapeHtml(reason)}</li>`,
        )
      : [
          ...(product.classification ? classificationItems(product.classification) : []),
          ...product.images.map((image, index) => imageItem(image, index, product.id, report)),
          ...product.notes.map((note) => `<li class="soft">Note: ${escapeHtml(note)}</li>`),
        ];
  return `<tr><td class="number">${line}</td><th scope="row">${escapeHtml(id)}</th><td>${escapeHtml(title)}</td><td><ul>${items.join('')}</ul></td></tr>\n`;
}

/** Writes a self-contained page without scripts. All text from the feed is escaped. */
export async function* htmlReport(report: Report): AsyncGenerator<string> {
  yield pageHead(report.run);
  let notes: NotesLine['notes'] = [];
  for await (const line of report.lines) {
    if (line.kind === 'notes') notes = line.notes;
    else yield productRow(line, report);
  }
  yield '</tbody></table></div></section>';
  const items = notes.map(
    ({ detail, line, count }) => `<li>${escapeHtml(detail)} (line ${line}, ${count} ×)</li>`,
  );
  if (items.length > 0)
    yield `<section><h2>How it was read</h2><ul>${items.join('')}</ul></section>`;
  yield '</main></body></html>\n';
}
