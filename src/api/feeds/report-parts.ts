import type { RunAnswer } from './answer.ts';
import type { ImageLine, ProductLine } from './lines.ts';

/** What reports are written from. */
export interface Report {
  run: RunAnswer;
  lines: AsyncIterable<ProductLine>;
  /** Where an image's picture is to be had without a key, where there is one. */
  linkOf(id: string, image: number, of: Pick<ImageLine, 'pictureKey'>): string | undefined;
}
