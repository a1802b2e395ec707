import { htmlReport } from './report-html.ts';
import type { ProductLine } from './report-lines.ts';
import type { Report } from './report-model.ts';
import type { ReportFormat } from './request.ts';

/** A cell that a spreadsheet shows and does not work out. */
const inert = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
/** Without what moves a terminal's cursor, or turns the direction of writing. */
const visible = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t\r\n]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
const cell = (value: string | number): string => {
  const text = typeof value === 'number' ? String(value) : inert(visible(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

const COLUMNS = ['line', 'id', 'title', 'image', 'link', 'outcome', 'reason', 'picture'];

function* csvLines(product: ProductLine, { linkOf }: Report): Generator<string> {
  const { line, id = '', title = '' } = product;
  if (product.kind === 'rejected') {
    yield csvLine([line, id, title, '', '', 'rejected', product.reasons.join('; '), '']);
    return;
  }
  for (const [at, image] of product.images.entries()) {
    const { url, outcome, reason = '' } = image;
    yield csvLine([line, id, title, at + 1, url, outcome, reason, linkOf(id, at, image) ?? '']);
  }
  for (const note of product.notes) yield csvLine([line, id, title, '', '', 'note', note, '']);
}

async function* csvReport(report: Report): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(COLUMNS)}`;
  for await (const product of report.lines) yield* csvLines(product, report);
}

async function* ndjsonReport({ run, lines, linkOf }: Report): AsyncGenerator<string> {
  yield `${JSON.stringify({ kind: 'run', ...run })}\n`;
  for await (const line of lines) {
    if (line.kind === 'rejected') {
      yield `${JSON.stringify(line)}\n`;
      continue;
    }
    const images = line.images.map(({ pictureKey, ...image }, at) => ({
      ...image,
      picture: linkOf(line.id, at, { pictureKey }),
    }));
    yield `${JSON.stringify({ ...line, images })}\n`;
  }
}

// biome-ignore format: a table reads best aligned
const WRITERS: Readonly<Record<ReportFormat, { mediaType: string; write(report: Report): AsyncGenerator<string> }>> = {
  html:   { mediaType: 'text/html; charset=utf-8',              write: htmlReport },
  csv:    { mediaType: 'text/csv; charset=utf-8; header=present', write: csvReport },
  ndjson: { mediaType: 'application/x-ndjson',                  write: ndjsonReport },
};

const BLOCK_CHARS = 64 * 1024;

/** Pieces of text as blocks of bytes. */
async function* inBlocks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const piece of pieces) {
    held += piece;
    if (held.length < BLOCK_CHARS) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held) yield Buffer.from(held);
}

/** A run's report as bytes, and their media type. */
export function writeReport(format: ReportFormat, report: Report) {
  const { mediaType, write } = WRITERS[format];
  return { mediaType, body: inBlocks(write(report)) };
}

/** The kind of report that an `Accept` header asks for. */
export function acceptedFormat(accept: string | string[] | undefined): ReportFormat {
  const asked = String(accept ?? '').toLowerCase();
  if (asked.includes('text/html')) return 'html';
  return asked.includes('text/csv') ? 'csv' : 'ndjson';
}
