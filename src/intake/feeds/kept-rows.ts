import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { PreviousImage } from '../../queue/job-data.ts';
import { type Blobs, ifPresent } from '../../storage/blobs.ts';
import type { RowOutcome } from '../batches/row-reader.ts';

/** A row of an earlier run with the good result of its image. */
export const PreviousRow = z.object({
  customId: z.string(),
  url: z.string(),
  image: z.number(),
  title: z.string().optional(),
  photo: PreviousImage,
});
export type PreviousRow = z.infer<typeof PreviousRow>;

/** A row that has left its feed, or whose picture was replaced, and since when. */
export const KeptRow = PreviousRow.extend({ since: z.iso.datetime() });
export type KeptRow = z.infer<typeof KeptRow>;

/** A file among the images of a feed that no row uses, and since when. */
export const UnusedImage = z.object({ key: z.string(), since: z.iso.datetime() });
export type UnusedImage = z.infer<typeof UnusedImage>;

/** Returns the row of an outcome that has a good result. */
export function previousRow({ row, result }: RowOutcome): PreviousRow | undefined {
  if (result?.status !== 'succeeded' || !('source' in row) || !('url' in row.source)) return;
  const { customId, image = 0, title, source } = row;
  return { customId, url: source.url, image, title, photo: PreviousImage.parse(result) };
}

/** Identifies a photo with its picture: other options make another one. */
export const photoKey = ({ results, input }: PreviousImage): string =>
  results.cutout?.key ?? `photo:${input.sha256}`;

/** Yields the lines of an NDJSON blob one by one; none if there is no such blob. */
export async function* readLines<T>(
  blobs: Pick<Blobs, 'open'>,
  key: string,
  schema: z.ZodType<T>,
): AsyncGenerator<T> {
  const input = await ifPresent(blobs.open(key));
  if (!input) return;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      yield schema.parse(JSON.parse(line));
  } finally {
    input.destroy();
  }
}

async function* toText(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** Writes an NDJSON blob line by line; it may be read meanwhile, as it was. */
export const writeLines = (
  blobs: Pick<Blobs, 'put'>,
  key: string,
  lines: AsyncIterable<object>,
): Promise<void> =>
  blobs.put(key, Readable.from(toText(lines), { objectMode: false }), {
    mediaType: 'application/x-ndjson',
  });
