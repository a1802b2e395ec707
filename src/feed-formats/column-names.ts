import { readFileSync } from 'node:fs';

/** The columns of exports: docs/how-to-add.md says how to add one. An export's column may have several lines. */
const FILE = new URL('../../data/feeds/columns.tsv', import.meta.url);

/** Google's name of a column in brackets after another language's: `Bildlink [image_link]`. */
const IN_BRACKETS = /\[([a-z_]+)\]\s*$/;

/** Words in brackets, as of Squarespace and marketplaces: `Product ID [Non Editable]`, `Image 1 (obligatoire)`. */
const REMARK =
  /\s*(?:\[\w+(?: \w+)+\]|\((?:required|mandatory|optional|obligatoire|facultatif|obligatorio|opcional|pflichtfeld|wymagane)\))\s*$/i;

/** What GraphQL, Elasticsearch and Strapi put around the members of a product. */
const WRAPPERS = /(?<![^/])(?:edges|node|source|attributes)\//g;

/** Normalises a column name: no case, accents, spaces, punctuation, wrappers or Google's prefix. */
export const plainName = (label: string): string =>
  (IN_BRACKETS.exec(label)?.[1] ?? label.replace(REMARK, ''))
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
