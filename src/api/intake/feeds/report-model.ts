import type { OutfitDescription } from '../../../taxonomy/outfit/outfit-schema.ts';
import type { Classification } from '../../../taxonomy/response-schema.ts';
import { outfitResponse } from '../job-response.ts';
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

/** The columns of a report that show a classification. */
export const CLASS_COLUMNS = [
  'class',
  'class_confidence',
  'colors',
  'materials',
  'attributes',
  'review',
] as const;
type ClassCells = Record<(typeof CLASS_COLUMNS)[number], string>;

const withShare = ({ name, share }: { name: string; share?: number | undefined }): string =>
  share === undefined ? name : `${name} ${Math.round(share * 100)}%`;

/** Attributes that are one word each. */
const WORDS = ['pattern', 'sleeveLength', 'gender', 'ageGroup', 'weight'] as const;

function attributeTexts({ attributes }: Classification): string[] {
  const words = WORDS.flatMap((name) => {
    const value = attributes[name];
    return value ? [`${name}: ${value.id}`] : [];
  });
  return [...words, ...attributes.properties.map(({ id }) => id)];
}

export function classCells(classification: Classification): ClassCells {
  const { category, attributes, review } = classification;
  const { colors, materials } = attributes;
  return {
    class: category ? (category.id ?? category.groupId) : '',
    class_confidence: category ? String(category.confidence) : '',
    colors: colors.map(({ family: name, share }) => withShare({ name, share })).join('; '),
    materials: materials.map(({ id: name, share }) => withShare({ name, share })).join('; '),
    attributes: attributeTexts(classification).join('; '),
    review: review.reasons.join('; '),
  };
}
