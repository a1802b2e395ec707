import type { ImageLine, ProductLine } from './report-lines.ts';
import type { RunResponse } from './response.ts';

/** The data of a report, for every format. */
export interface Report {
  run: RunResponse;
  /** Whether the feed is classified. */
  isClassified: boolean;
  lines: AsyncIterable<ProductLine>;
  /**
   * Returns a link to the picture of an image that needs no key, or undefined if there is no
   * picture.
   */
  linkOf(id: string, image: number, of: Pick<ImageLine, 'pictureKey'>): string | undefined;
}
