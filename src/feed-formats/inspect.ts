import { z } from 'zod';
import { expandFeed } from './expand.ts';
import { FeedError, FeedNoteField, FeedNotes, type RowError } from './feed-error.ts';
import type { FeedReadOptions, OpenFeed } from './open-feed.ts';
import { parseFeed } from './parse.ts';
import type { FeedRow } from './row.ts';
import { FEED_FORMATS } from './sniff.ts';

/** How much of a feed is looked at. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_SAMPLES = 5;
const MAX_LABELS = 200;

export const FeedInspection = z
  .object({
    format: z.enum(FEED_FORMATS).optional(),
    preset: z.string().optional().meta({ description: 'The kind of export that fits' }),
    encoding: z.string().optional(),
    items: z.string().optional().meta({ description: 'The path of the rows in XML or JSON' }),
    group: z.boolean().optional().meta({ description: 'Whether a product may have several rows' }),
    columns: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: 'What is read from which columns, by their own names' }),
    labels: z
      .array(z.string())
      .meta({ description: 'All columns of the header or the first rows' }),
    rows: z.number().meta({ description: 'Products that were looked at, the first thousand' }),
    rejected: z.number(),
    sample: z.array(
      z.object({
        line: z.number(),
        id: z.string(),
        title: z.string().optional(),
        images: z.array(z.string()),
      }),
    ),
    rejections: z.array(
      z.object({ line: z.number(), id: z.string().optional(), detail: z.string() }),
    ),
    notes: z.array(FeedNoteField),
    problem: z
      .object({ reason: z.string(), detail: z.string() })
      .optional()
      .meta({ description: 'Why the feed cannot be read, or not further, and what to do' }),
  })
  .meta({ id: 'FeedInspection' });
export type FeedInspection = z.infer<typeof FeedInspection>;

async function* firstBytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    yield chunk;
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return;
  }
}

function recognised({ format, encoding, reading, items, labels }: OpenFeed) {
  const columns: Record<string, string[]> = {};
  for (const label of labels) {
    const column = reading.columnOf(label);
    if (column) columns[column] = [...(columns[column] ?? []), label];
  }
  return {
    format,
    preset: reading.preset,
    encoding: encoding.name,
    ...(items !== undefined && { items }),
    group: reading.group,
    columns,
    labels: labels.slice(0, MAX_LABELS),
  };
}

function addItem(inspection: FeedInspection, item: FeedRow | RowError): void {
  const { line, id } = item;
  inspection.rows += 1;
  if (item.kind === 'error') {
    inspection.rejected += 1;
    if (inspection.rejections.length === MAX_SAMPLES) return;
    inspection.rejections.push({ line, ...(id !== undefined && { id }), detail: item.detail });
  } else if (inspection.sample.length < MAX_SAMPLES) {
    const { title, imageLink, additionalImageLinks } = item;
    const images = [imageLink, ...additionalImageLinks];
    inspection.sample.push({ line, id: item.id, ...(title !== undefined && { title }), images });
  }
}

/** Reads the beginning of a feed and says what was recognised, what was read, and what is missing. */
export async function inspectFeed(
  source: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
): Promise<FeedInspection> {
  const notes = new FeedNotes();
  const inspection: FeedInspection = {
    columns: {},
    labels: [],
    rows: 0,
    rejected: 0,
    sample: [],
    rejections: [],
    notes: [],
  };
  const bytes = firstBytes(expandFeed(source));
  try {
    const items = parseFeed(bytes, { ...options, takeNote: notes.take }, (feed) =>
      Object.assign(inspection, recognised(feed)),
    );
    for await (const item of items) {
      addItem(inspection, item);
      if (inspection.rows === MAX_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    inspection.problem = { reason: error.reason, detail: error.detail };
  }
  return { ...inspection, notes: notes.list() };
}
