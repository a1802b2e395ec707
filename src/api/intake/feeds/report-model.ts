import type { OutfitDescription } from '../../../taxonomy/outfit/outfit-schema.ts';
import { outfitResponse } from '../outfit-response.ts';
import type { ImageLine, NotesLine, ProductLine } from './report-lines.ts';
import type { RunResponse } from './response.ts';

export interface Report {
  run: RunResponse;
  isClassified: boolean;
  isSeparated: boolean;
  isJudged: boolean;
  lines: AsyncIterable<ProductLine | NotesLine>;
  /** Returns a link to the picture of an image that needs no key, or undefined if there is no picture. */
  linkOf(id: string, image: number, of: Pick<ImageLine, 'pictureKey'>): string | undefined;
}

/** Returns the garments of an image with links to their cut-outs, if they were separated. */
export const garmentsOf = (
  { outfit, garmentKeys = [] }: ImageLine,
  id: string,
  image: number,
  { linkOf }: Pick<Report, 'linkOf'>,
): OutfitDescription | undefined =>
  outfit &&
  outfitResponse(outfit, `${id}-${image + 1}`, (index) =>
    linkOf(`${id}-${index}-${outfit.garments[index]?.group}`, image, {
      pictureKey: garmentKeys[index],
    }),
  );

export const garmentName = ({ group, classification }: OutfitDescription['garments'][number]) =>
  classification.category?.label ?? group;
