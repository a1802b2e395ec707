import type { FeedAttributes } from '../request-schema.ts';
import type { ClauseMatch } from './clauses.ts';
import {
  type AttributeColumns,
  allValues,
  colorsOf,
  firstValue,
  genderOf,
  readColumns,
} from './columns.ts';
import { type MaterialShare, mainMaterial, readComposition } from './composition.ts';
import { type Field, type RowText, type TextMatch, toTextMatch } from './fields.ts';
import type { Cue } from './grammar.ts';
import type { Hint } from './refine.ts';
import type { Match } from './scan.ts';
import { ageGroupOfSize } from './sizes.ts';
import { tokenize } from './tokens.ts';

/** Attributes in the words of a row, as ids of the dictionary. */
export interface TextAttributes {
  /** Colour families, the main one first. */
  colors: readonly string[];
  pattern: string | undefined;
  materials: readonly MaterialShare[];
  sleeveLength: string | undefined;
  gender: string | undefined;
  ageGroup: string | undefined;
  weight: string | undefined;
  properties: readonly string[];
  seasons: readonly string[];
  /** Columns with a value that was not recognised. */
  unrecognisedColumns: readonly string[];
}

/** Hints that refine a general category, and where they were read. */
export type Hints = ReadonlyMap<Hint, TextMatch>;

const overlaps = (a: Match, b: Match): boolean => a.first <= b.last && b.first <= a.last;
const isAffirmed = ({ role, negated }: ClauseMatch): boolean => role !== 'pair' && !negated;
/** Describes the article itself, not its use or what it is worn with. */
const describesArticle = (clauseMatch: ClauseMatch): boolean =>
  isAffirmed(clauseMatch) && clauseMatch.role !== 'for';

/** Returns the colours of the first column that has any; in "snow boots", "snow" is no colour. */
function colorsInText(fields: readonly Field[]): readonly string[] {
  for (const { clauseMatches } of fields) {
    const matches = clauseMatches.filter(describesArticle).map(({ match }) => match);
    const phrases = matches.filter(
      ({ entry, first, last }) => entry.kind === 'garment' && last > first,
    );
    const free = matches.filter(
      (match) =>
        match.entry.kind !== 'colour' || !phrases.some((phrase) => overlaps(phrase, match)),
    );
    const colors = colorsOf(free);
    if (colors.length > 0) return colors;
  }
  return [];
}

/** Returns the material words of the article itself, not of its hood or lining. */
function materialMatches({ clauseMatches }: Field): Match[] {
  const linings = clauseMatches.filter(({ match }) => match.entry.id === 'properties:lined');
  return clauseMatches
    .filter(
      ({ match, role, negated }) =>
        match.entry.kind === 'material' &&
        !negated &&
        (role === undefined || role === 'of') &&
        !linings.some((lining) => lining.match.first === match.last + 1),
    )
    .map(({ match }) => match);
}

function materialsInText(fields: readonly Field[]): MaterialShare[] {
  const all = fields.flatMap((field) => readComposition(field.tokens, materialMatches(field)));
  return [...new Map(all.map((material) => [material.id, material])).values()];
}

/** What is said of the article, and where. */
const cuesIn = ({ clauseMatches }: Field): { cue: Cue; match: Match }[] =>
  clauseMatches
    .filter(isAffirmed)
    .flatMap(({ match }) => (match.entry.kind === 'cue' ? [{ cue: match.entry.id, match }] : []));

const cuesOf = (fields: readonly Field[]): Cue[] =>
  fields.flatMap((field) => cuesIn(field).map(({ cue }) => cue));

const wholeColumn = (field: string, value: string | undefined, { locale }: RowText): TextMatch => ({
  field,
  match: value ?? '',
  span: [0, value?.length ?? 0],
  language: locale ?? 'en',
});

const isSleeve = (hint: Hint): boolean => hint.startsWith('sleeveLength:');

/** Collects cues and materials of the columns that name the article; a dedicated column takes precedence. */
function collectHints(
  named: readonly Field[],
  columns: AttributeColumns,
  row: FeedAttributes,
  text: RowText,
): Hints {
  const found = named.flatMap((field): [Hint, TextMatch][] => [
    ...cuesIn(field).map(({ cue, match }): [Hint, TextMatch] => [cue, toTextMatch(field, match)]),
    ...materialMatches(field).map((match): [Hint, TextMatch] => [
      `material:${match.entry.id}`,
      toTextMatch(field, match),
    ]),
  ]);
  const main = mainMaterial(columns.materials ?? []);
  if (main) found.push([`material:${main}`, wholeColumn('material', row.material, text)]);
  if (!columns.sleeveLength) return new Map(found);
  const sleeve: Hint = `sleeveLength:${columns.sleeveLength}`;
  const others = found.filter(([hint]) => !isSleeve(hint));
  return new Map([...others, [sleeve, wholeColumn('sleeve_length', row.sleeve_length, text)]]);
}

/** Age by the size in its own column or in the title. */
const sizeGroup = (row: FeedAttributes, { fields }: RowText): string | undefined =>
  (typeof row.size === 'string' ? ageGroupOfSize(tokenize(`size ${row.size}`)) : undefined) ??
  ageGroupOfSize(fields.find(({ name }) => name === 'title')?.tokens ?? []);

/** Reads the attributes. Dedicated columns take precedence over the words of title and product type. */
export function readTextAttributes(
  row: FeedAttributes,
  text: RowText,
): { attributes: TextAttributes; hints: Hints } {
  const named = text.fields.filter(({ name }) => name !== 'description');
  const columns = readColumns(row, text);
  const cues = cuesOf(named);
  const pattern = named
    .flatMap(({ clauseMatches }) => clauseMatches)
    .find(
      (clauseMatch) => clauseMatch.match.entry.kind === 'pattern' && describesArticle(clauseMatch),
    )?.match.entry.id;
  return {
    attributes: {
      colors: columns.colors ?? colorsInText(named),
      pattern: columns.pattern ?? pattern,
      materials: columns.materials ?? materialsInText(named),
      sleeveLength: columns.sleeveLength ?? firstValue(cues, 'sleeveLength'),
      gender: columns.gender ?? genderOf(cues),
      ageGroup: columns.ageGroup ?? sizeGroup(row, text) ?? firstValue(cues, 'ageGroup'),
      weight: columns.weight ?? firstValue(cues, 'weight'),
      properties: allValues(cuesOf(text.fields), 'properties'),
      seasons: allValues(cues, 'season'),
      unrecognisedColumns: columns.unrecognisedColumns,
    },
    hints: collectHints(named, columns, row, text),
  };
}
