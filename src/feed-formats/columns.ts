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

/** Columns that an export can fill, and the names under which it adds them. */
export const FILLED_COLUMNS = {
  google_product_category: 'googleProductCategory',
  color: 'color',
  material: 'material',
} as const satisfies Readonly<Record<string, Column>>;
export type FilledColumn = keyof typeof FILLED_COLUMNS;

/** Values for the columns of one row; an empty one leaves the row without a value. */
export type FilledValues = ReadonlyMap<FilledColumn, string>;

/** Returns the index of a row's cell for a column, or -1; the first counts. */
export const cellOf = (
  cells: readonly { name: Column | undefined }[],
  column: FilledColumn,
): number => cells.findIndex(({ name }) => name === FILLED_COLUMNS[column]);

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
