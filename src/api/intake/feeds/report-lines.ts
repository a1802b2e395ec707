import { FeedError } from '../../../feed-formats/feed-error.ts';
import { type FeedReading, parseFeed } from '../../../feed-formats/parse.ts';
import type { FeedRow } from '../../../feed-formats/row.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { ResultLine } from '../../../intake/batches/rows.ts';
import type { AcceptedRow } from '../../../queue/job-data.ts';

/** What became of one image of a product. */
export interface ImageLine {
  url: string;
  outcome: 'changed' | 'unchanged' | 'failed' | 'not-done';
  /** Why it failed, or was not done. */
  reason?: string;
  /** The blob of its new picture. */
  pictureKey?: string | undefined;
}

/** A row of the feed, and what became of it. */
export type ProductLine =
  | {
      kind: 'product';
      id: string;
      title?: string;
      line: number;
      images: ImageLine[];
      /** What is wrong with the row and did not stop it. */
      notes: string[];
    }
  | { kind: 'rejected'; id?: string; title?: string; line: number; reasons: string[] };

/** The blob that marketplaces are given in place of an image, where there is one. */
export const pictureKeyOf = (result: ResultLine | undefined): string | undefined =>
  result?.status === 'succeeded' ? (result.picture?.key ?? result.results.cutout?.key) : undefined;

/** What a product's picture is called at the other end. */
export const pictureName = (id: string, image: number, pictureKey: string): string =>
  `${id}${image === 0 ? '' : `-${image + 1}`}${/\.[a-z]+$/.exec(pictureKey)?.[0] ?? ''}`;

function imageLine(url: string, result: ResultLine | undefined, notDone: string): ImageLine {
  if (!result) return { url, outcome: 'not-done', reason: notDone };
  if (result.status === 'failed') return { url, outcome: 'failed', reason: result.problem.detail };
  const pictureKey = pictureKeyOf(result);
  return {
    ...{ url, outcome: result.unchanged ? 'unchanged' : 'changed' },
    ...(pictureKey && { pictureKey }),
  };
}

/** An image of the feed and what it came to. */
export interface ImageOutcome {
  row: AcceptedRow;
  result: ResultLine | undefined;
}

/** The images of a run in the order of its feed, each asked for once. */
export function imagesInOrder(outcomes: AsyncIterable<RowOutcome>) {
  const iterator = outcomes[Symbol.asyncIterator]();
  return {
    /** @returns undefined where the run has none for this image: its feed was not read so far */
    async next(customId: string, image: number): Promise<ImageOutcome | undefined> {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return undefined;
        const { row, result } = value;
        if (!('source' in row)) continue;
        if (row.customId === customId && row.image === image) return { row, result };
        throw new Error('the rows of the run are not those of its document');
      }
    },
    close: async () => void (await iterator.return?.()),
  };
}

async function productLine(
  row: FeedRow,
  images: ReturnType<typeof imagesInOrder>,
  notDone: string,
): Promise<ProductLine> {
  const { id, title, line, notes } = row;
  const lines: ImageLine[] = [];
  for (const [image, url] of [row.imageLink, ...row.additionalImageLinks].entries()) {
    lines.push(imageLine(url, (await images.next(id, image))?.result, notDone));
  }
  return {
    ...{ kind: 'product', id, line, images: lines, notes: notes.map(({ detail }) => detail) },
    ...(title !== undefined && { title }),
  };
}

/**
 * Every row of a feed and what became of it, as far as the feed can be read: its document and the
 * run's rows side by side, a chunk of them in memory.
 * @param notDone why an image has no outcome
 */
export async function* productLines(
  document: AsyncIterable<Uint8Array>,
  reading: FeedReading,
  outcomes: AsyncIterable<RowOutcome>,
  notDone: string,
): AsyncGenerator<ProductLine> {
  const images = imagesInOrder(outcomes);
  try {
    for await (const item of parseFeed(document, reading)) {
      if (item.kind === 'row') {
        yield await productLine(item, images, notDone);
        continue;
      }
      const { id, line } = item;
      const reasons = item.reasons.map(({ detail }) => detail);
      yield { kind: 'rejected', line, reasons, ...(id !== undefined && { id }) };
    }
  } catch (error) {
    // The run says so itself; what was read before is still worth telling.
    if (!(error instanceof FeedError)) throw error;
  } finally {
    await images.close();
  }
}
