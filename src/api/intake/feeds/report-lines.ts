import type { z } from 'zod';
import { FeedError, FeedNotes } from '../../../feed-formats/feed-error.ts';
import type { FeedReadOptions } from '../../../feed-formats/open-feed.ts';
import { parseFeed } from '../../../feed-formats/parse.ts';
import type { FeedRow } from '../../../feed-formats/row.ts';
import type { ResultLine } from '../../../intake/batches/batch-files.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { AcceptedRow, StoredOutfit } from '../../../queue/job-data.ts';
import { garmentKeys } from '../../../storage/blob-keys.ts';
import type { ImageEvidence } from '../../../taxonomy/classify.ts';
import { asDecided, classifyProduct, evidenceOf, type LearnedOf } from './classify-product.ts';
import type { RejectedRow, ReportedImage, ReportedProduct, ReportNotes } from './response.ts';

/** An image of a report, with what its links are made of. */
export interface ImageLine extends Omit<z.infer<typeof ReportedImage>, 'picture' | 'outfit'> {
  /** The blob key of its new picture. */
  pictureKey?: string | undefined;
  /** If the feed's garments are separated. */
  outfit?: StoredOutfit;
  /** The blob keys of the cut-outs of its garments. */
  garmentKeys?: string[];
}

/** A row of the feed and its outcome. */
export type ProductLine =
  | (Omit<z.infer<typeof ReportedProduct>, 'images'> & { images: ImageLine[] })
  | z.infer<typeof RejectedRow>;

/** The last line: what of the feed was read although it is not written as it should be. */
export type NotesLine = z.infer<typeof ReportNotes>;

/** Returns the blob key of the picture that replaces an image in the export, if there is one. */
export const pictureKeyOf = (result: ResultLine | undefined): string | undefined =>
  result?.status === 'succeeded' ? (result.picture?.key ?? result.results.cutout?.key) : undefined;

/** Returns the file name of a product's picture, for the link to it. */
export const pictureName = (id: string, image: number, pictureKey: string): string =>
  `${id}${image === 0 ? '' : `-${image + 1}`}${/\.[a-z]+$/.exec(pictureKey)?.[0] ?? ''}`;

/** What the lines of a report need besides the outcomes. */
interface LineOptions {
  /** The reason to report for images without an outcome. */
  notDoneReason: string;
  /** Returns the prefix of the keys of garments in an image. */
  garmentsPrefix(sha256: string): string;
  learnedOf: LearnedOf;
}

function toImageLine(
  url: string,
  { result, refinements, duplicateOf }: Omit<ImageOutcome, 'row'>,
  { notDoneReason, garmentsPrefix }: LineOptions,
): ImageLine {
  if (!result) return { url, outcome: 'not-done', reason: notDoneReason };
  if (result.status === 'failed') return { url, outcome: 'failed', reason: result.problem.detail };
  const { stale } = result;
  const { cutout, outfit } = result.results;
  return {
    url,
    outcome: stale ? 'stale' : result.unchanged ? 'unchanged' : 'changed',
    reason: stale?.reason,
    staleSince: stale?.since,
    review: cutout?.review,
    refinements: refinements || undefined,
    duplicateOf,
    rules: cutout?.rules,
    pictureKey: pictureKeyOf(result),
    ...(outfit && {
      outfit,
      garmentKeys: garmentKeys(garmentsPrefix(result.input.sha256), outfit),
    }),
  };
}

type ImageOutcome = RowOutcome & { row: AcceptedRow };

/** Reads the image outcomes of a run in the order of its feed. Each image may be requested once. */
export function imagesInOrder(outcomes: AsyncIterable<RowOutcome>) {
  const iterator = outcomes[Symbol.asyncIterator]();
  return {
    /** Returns undefined if the run has no outcome for this image: its feed was not read that far. */
    async next(customId: string, image: number): Promise<ImageOutcome | undefined> {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return undefined;
        const { row, ...outcome } = value;
        if (!('source' in row)) continue;
        if (row.customId === customId && row.image === image) return { row, ...outcome };
        throw new Error('the rows of the run do not match its document');
      }
    },
    close: async () => void (await iterator.return?.()),
  };
}

async function toProductLine(
  row: FeedRow,
  images: ReturnType<typeof imagesInOrder>,
  lineOptions: LineOptions,
): Promise<ProductLine> {
  const { id, title, line, notes } = row;
  const lines: ImageLine[] = [];
  let evidence: ImageEvidence | undefined;
  let decided: string | undefined;
  for (const [image, url] of [row.imageLink, ...row.additionalImageLinks].entries()) {
    const outcome: Omit<ImageOutcome, 'row'> = (await images.next(id, image)) ?? {
      result: undefined,
    };
    lines.push(toImageLine(url, outcome, lineOptions));
    evidence ??= evidenceOf(outcome.result);
    decided ??= outcome.category;
  }
  const learned = decided === undefined ? lineOptions.learnedOf(row) : asDecided(decided);
  const classification = await classifyProduct(row, evidence, learned);
  return {
    kind: 'product',
    id,
    line,
    images: lines,
    notes: notes.map(({ detail }) => detail),
    ...(title !== undefined && { title }),
    ...(classification && { classification }),
  };
}

/**
 * Joins the rows of a feed's document with their outcomes, as far as the document can be parsed.
 * Both are read in order, with one chunk of the run's rows in memory.
 */
export async function* productLines(
  document: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  outcomes: AsyncIterable<RowOutcome>,
  lineOptions: LineOptions,
): AsyncGenerator<ProductLine | NotesLine> {
  const feedNotes = new FeedNotes();
  const images = imagesInOrder(outcomes);
  try {
    for await (const item of parseFeed(document, { ...options, takeNote: feedNotes.take })) {
      if (item.kind === 'row') {
        yield await toProductLine(item, images, lineOptions);
        continue;
      }
      const { id, line } = item;
      const reasons = item.reasons.map(({ detail }) => detail);
      yield { kind: 'rejected', line, reasons, ...(id !== undefined && { id }) };
    }
  } catch (error) {
    // The run reports this error itself; the rows before it are still reported.
    if (!(error instanceof FeedError)) throw error;
  } finally {
    await images.close();
  }
  const notes = feedNotes.list();
  if (notes.length > 0) yield { kind: 'notes', notes };
}
