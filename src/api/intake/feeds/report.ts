import { textBlocks } from '../text-blocks.ts';
import { htmlReport } from './report-html.ts';
import type { ImageLine, NotesLine, ProductLine } from './report-lines.ts';
import { CLASS_COLUMNS, classCells, garmentName, garmentsOf, type Report } from './report-model.ts';
import type { ReportFormat } from './request.ts';

/**
 * Prevents spreadsheets from evaluating a cell, or what follows a separator in it, as a formula: where a program splits
 * at semicolons, `x;=1+1` is two cells, quoted or not.
 */
const escapeFormula = (text: string): string =>
  text.replaceAll(/(^|[;|\t\r\n][ "']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g, "$1'");
/** Replaces control characters, and characters that change the direction of text. */
const replaceControls = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t\r\n]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
/** Of any program's CSV. */
const SEPARATORS = /[",;|\t\r\n]/;
const cell = (value: string | number): string => {
  const text = typeof value === 'number' ? String(value) : escapeFormula(replaceControls(value));
  return SEPARATORS.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

const COLUMNS = ['line', 'id', 'title', 'image', 'link', 'outcome', 'reason', 'picture'];

/** Columns for the review of an image's cut-out; the last ones, so that the others keep their places. */
const REVIEW_COLUMNS = ['cutout_review_needed', 'cutout_review_reasons'];

const reviewCells = (review: ImageLine['review']): string[] => [
  review ? String(review.needed) : '',
  review ? review.reasons.join('; ') : '',
];

const DUPLICATE_COLUMNS = ['duplicate_of', 'duplicate_of_image', 'duplicate_similarity'];

const duplicateCells = (duplicateOf: ImageLine['duplicateOf']): (string | number)[] => [
  duplicateOf?.customId ?? '',
  duplicateOf ? (duplicateOf.image ?? 0) + 1 : '',
  duplicateOf?.similarity ?? '',
];

const RULES_COLUMNS = ['rules_passed', 'rules_failed'];

function rulesCells(image: ImageLine | undefined, { isJudged }: Report): string[] {
  if (!isJudged) return [];
  const { rules } = image ?? {};
  const failed = rules?.verdicts.filter(({ passed }) => !passed) ?? [];
  return [
    rules ? String(rules.passed) : '',
    failed.map(({ id, measured }) => `${id}: ${measured}`).join('; '),
  ];
}

const GARMENT_COLUMNS = ['garments', 'garment_pictures'];

function garmentCells(image: ImageLine | undefined, id: string, at: number | '', report: Report) {
  if (!report.isSeparated) return [];
  const garments = (image && garmentsOf(image, id, Number(at) - 1, report)?.garments) ?? [];
  return [
    garments.map(garmentName).join('; '),
    garments.map(({ cutout }) => cutout?.url ?? '').join(' '),
  ];
}

/** Returns the next cells of a row: the classification of its product, if the feed is classified. */
function classificationCells(product: ProductLine, { isClassified }: Report): string[] {
  if (!isClassified) return [];
  const { classification } = product.kind === 'product' ? product : {};
  const cells = classification && classCells(classification);
  return CLASS_COLUMNS.map((column) => cells?.[column] ?? '');
}

function* csvLines(product: ProductLine | NotesLine, report: Report): Generator<string> {
  if (product.kind === 'notes') {
    for (const { line, detail } of product.notes)
      yield csvLine([line, '', '', '', '', 'note', detail]);
    return;
  }
  const { line, id = '', title = '' } = product;
  const classification = classificationCells(product, report);
  const lineOf = (at: number | '', cells: string[], image?: ImageLine) => {
    const last = [
      ...reviewCells(image?.review),
      ...garmentCells(image, id, at, report),
      ...rulesCells(image, report),
      ...duplicateCells(image?.duplicateOf),
    ];
    return csvLine([line, id, title, at, ...cells, ...classification, ...last]);
  };
  if (product.kind === 'rejected') {
    yield lineOf('', ['', 'rejected', product.reasons.join('; '), '']);
    return;
  }
  for (const [at, image] of product.images.entries()) {
    const { url, outcome, staleSince } = image;
    const since = staleSince ? `since ${staleSince}: ` : '';
    const reason = since + (image.reason ?? '');
    yield lineOf(at + 1, [url, outcome, reason, report.linkOf(id, at, image) ?? ''], image);
  }
  for (const note of product.notes) yield lineOf('', ['', 'note', note, '']);
}

async function* csvReport(report: Report): AsyncGenerator<string> {
  const classColumns = report.isClassified ? CLASS_COLUMNS : [];
  const garmentColumns = report.isSeparated ? GARMENT_COLUMNS : [];
  const ruleColumns = report.isJudged ? RULES_COLUMNS : [];
  const imageColumns = [...REVIEW_COLUMNS, ...garmentColumns, ...ruleColumns, ...DUPLICATE_COLUMNS];
  yield `\uFEFF${csvLine([...COLUMNS, ...classColumns, ...imageColumns])}`;
  for await (const line of report.lines) yield* csvLines(line, report);
}

async function* ndjsonReport({ run, lines, linkOf }: Report): AsyncGenerator<string> {
  yield `${JSON.stringify({ kind: 'run', ...run })}\n`;
  for await (const line of lines) {
    if (line.kind !== 'product') {
      yield `${JSON.stringify(line)}\n`;
      continue;
    }
    const images = line.images.map((image, at) => {
      const { pictureKey, garmentKeys: _, outfit: __, ...rest } = image;
      const outfit = garmentsOf(image, line.id, at, { linkOf });
      return { ...rest, picture: linkOf(line.id, at, { pictureKey }), ...(outfit && { outfit }) };
    });
    yield `${JSON.stringify({ ...line, images })}\n`;
  }
}

// biome-ignore format: a table reads best aligned
const WRITERS: Readonly<Record<ReportFormat, { mediaType: string; write(report: Report): AsyncGenerator<string> }>> = {
  html:   { mediaType: 'text/html; charset=utf-8',              write: htmlReport },
  csv:    { mediaType: 'text/csv; charset=utf-8; header=present', write: csvReport },
  ndjson: { mediaType: 'application/x-ndjson',                  write: ndjsonReport },
};

export function writeReport(format: ReportFormat, report: Report) {
  const { mediaType, write } = WRITERS[format];
  return { mediaType, body: textBlocks(write(report)) };
}

/** Returns the report format for an `Accept` header; NDJSON by default. */
export function acceptedFormat(accept: string | string[] | undefined): ReportFormat {
  const mediaRanges = String(accept ?? '').toLowerCase();
  if (mediaRanges.includes('text/html')) return 'html';
  return mediaRanges.includes('text/csv') ? 'csv' : 'ndjson';
}
