/** The attributes of Google's product data that are read; other columns are passed through unread. */
const COLUMNS = [
  'id',
  'title',
  'description',
  'productType',
  'googleProductCategory',
  'material',
  'color',
  'gender',
  'ageGroup',
  'brand',
  'imageLink',
  'additionalImageLink',
] as const;

export type Column = (typeof COLUMNS)[number];

/** Other spellings: the plurals and `offerId` of Google's JSON, and Atom's element names. */
const SYNONYMS: Readonly<Record<string, Column>> = {
  offerid: 'id',
  producttypes: 'productType',
  additionalimagelinks: 'additionalImageLink',
  colour: 'color',
  summary: 'description',
  content: 'description',
};

const KNOWN: ReadonlyMap<string, Column> = new Map([
  ...COLUMNS.map((column) => [column.toLowerCase(), column] as const),
  ...Object.entries(SYNONYMS),
]);

/** Normalises a column name: no case, spaces, underscores, hyphens or Google's prefix. */
export const plainName = (label: string): string =>
  label
    .trim()
    .toLowerCase()
    .replace(/^g:/, '')
    .replaceAll(/[\s_-]+/g, '');

/** Returns the column of a header, key or element name: `Image Link`, `image_link`, `imageLink`. */
export const columnOf = (label: string): Column | undefined => KNOWN.get(plainName(label));
