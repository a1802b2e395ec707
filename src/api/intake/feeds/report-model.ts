import type { ImageLine, ProductLine } from './report-lines.ts';
import type { RunResponse } from './response.ts';

/** What reports are written from. */
export interface Report {
  run: RunResponse;
  lines: AsyncIterable<ProductLine>;
  /** Where an image's picture is to be had without a key, where there is one. */
  linkOf(id: string, image: number, of: Pick<ImageLine, 'pictureKey'>): string | undefined;
}
