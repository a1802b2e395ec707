import { readFileSync } from 'node:fs';

/** The columns of exports: docs/how-to-add.md says how to add one. An export's column may have several lines. */
const FILE = new URL('../../data/feeds/columns.tsv', import.meta.url);

/** Google's name of a column in brackets after another language's: `Bildlink [image_link]`. */
const IN_BRACKETS = /\[([a-z_]+)\]\s*$/;

/** Words in brackets, as of Squarespace and marketplaces: `Product ID [Non Editable]`, `Image 1 (obligatoire)`. */
const REMARK =
  /\s*(?:\[\w+(?: \w+)+\]|\((?:\+|required|mandatory|optional|obligatoire|facultatif|obligatorio|opcional|pflichtfeld|wymagane)\))\s*$/i;

/** A byte order mark that was read as text. */
const TWICE_MARKED = /^\ufeff?ï»¿/;

/** What GraphQL, Elasticsearch, Strapi and Contentful put around the members of a product. */
const WRAPPERS = /(?<![^/])(?:edges|node|source|attributes|data|fields)\//g;

/** Normalises a column name: no case, accents, spaces, punctuation, wrappers or Google's prefix. */
export const plainName = (label: string): string =>
  (IN_BRACKETS.exec(label)?.[1] ?? label.replace(TWICE_MARKED, '').replace(REMARK, ''))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/^\s*g:/, '')
    .replaceAll(/[\s_\-\p{M}'’:*.]+/gu, '')
    .replaceAll(WRAPPERS, '');

const NAMES = new Map<string, readonly string[]>();
for (const line of readFileSync(FILE, 'utf8').trimEnd().split('\n').slice(1)) {
  const [of = '', column = '', names = ''] = line.split('\t');
  const key = `${of} ${column}`;
  NAMES.set(key, [...(NAMES.get(key) ?? []), ...names.split(' ').map(plainName)]);
}

/** Returns the names that a column has in an export, as `plainName` spells them. */
export const columnNames = (of: string, column: string): readonly string[] =>
  NAMES.get(`${of} ${column}`) ?? [];

/** The attributes of Google's product data that are read; other columns are passed through unread. */
// biome-ignore format: a list reads best in lines
const COLUMNS = [
  'id', 'title', 'description', 'productType', 'googleProductCategory', 'material', 'color',
  'gender', 'ageGroup', 'brand', 'imageLink', 'additionalImageLink',
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

/**
 * Google's names in the languages of its help pages, the plurals and `offerId` of its JSON, Atom's element names,
 * and the indices of Meta's (`image[0].url`).
 */
const KNOWN: ReadonlyMap<string, Column> = new Map(
  COLUMNS.flatMap((column) => [
    [column.toLowerCase(), column] as const,
    ...columnNames('google', column).map((name) => [name, column] as const),
  ]),
);

/** A further image has a number: `image[1].url`, `additional_image_link_2`. */
const NUMBERED = /^(?:image\[\d+\]url|(?:additional)?imagelink\[?(\d+)\]?)$/;

/** Returns Google's column of a header, key or element name: `Image Link`, `image_link`, `imageLink`. */
export function columnOf(label: string): Column | undefined {
  const name = plainName(label);
  return KNOWN.get(name) ?? (NUMBERED.test(name) ? 'additionalImageLink' : undefined);
}
