import type { FeedAttributes } from '../request-schema.ts';
import type { Placed } from './clauses.ts';
import { allValues, type Columns, colorsOf, firstValue, genderOf, readColumns } from './columns.ts';
import { type MaterialShare, mainMaterial, readComposition } from './composition.ts';
import { type Field, type FoundAt, foundAt, type RowText } from './fields.ts';
import type { Hint } from './refine.ts';
import type { Match } from './scan.ts';
import type { Cue } from './words.ts';

/** What the words of a row say of the article besides its name. Ids are the dictionary's. */
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
  /** Columns that were sent and not understood. */
  notUnderstood: readonly string[];
}

/** What refines a general name, and where it was read. */
export type Hints = ReadonlyMap<Hint, FoundAt>;

const overlaps = (a: Match, b: Match): boolean => a.first <= b.last && b.first <= a.last;
const isTold = ({ role, negated }: Placed): boolean => role !== 'pair' && !negated;
/** Of the article itself, not of its use or its company. */
const isOwn = (place: Placed): boolean => isTold(place) && place.role !== 'for';

/** Colour words of the first column that has any; in "snow boots", "snow" is none. */
function colorsInText(fields: readonly Field[]): readonly string[] {
  for (const { placed } of fields) {
    const matches = placed.filter(isOwn).map(({ match }) => match);
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

/** Material words of the article itself, not of its hood or its lining. */
function materialMatches({ placed }: Field): Match[] {
  const linings = placed.filter(({ match }) => match.entry.id === 'properties:lined');
  return placed
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

const cueMatches = ({ placed }: Field): (Match & { entry: { kind: 'cue'; id: Cue } })[] =>
  placed
    .filter(isTold)
    .flatMap(({ match: { entry, ...place } }) =>
      entry.kind === 'cue' ? [{ entry, ...place }] : [],
    );

const cuesOf = (fields: readonly Field[]): Cue[] =>
  fields.flatMap((field) => cueMatches(field).map(({ entry }) => entry.id));

const wholeColumn = (field: string, value: string | undefined, { locale }: RowText): FoundAt => ({
  field,
  match: value ?? '',
  span: [0, value?.length ?? 0],
  language: locale ?? 'en',
});

const isSleeve = (hint: Hint): boolean => hint.startsWith('sleeveLength:');

/** Cues and materials of the columns that name the article; what a column of its own says, wins. */
function hintsOf(
  named: readonly Field[],
  columns: Columns,
  row: FeedAttributes,
  text: RowText,
): Hints {
  const found = named.flatMap((field): [Hint, FoundAt][] => [
    ...cueMatches(field).map((match): [Hint, FoundAt] => [match.entry.id, foundAt(field, match)]),
    ...materialMatches(field).map((match): [Hint, FoundAt] => [
      `material:${match.entry.id}`,
      foundAt(field, match),
    ]),
  ]);
  const main = mainMaterial(columns.materials ?? []);
  if (main) found.push([`material:${main}`, wholeColumn('material', row.material, text)]);
  if (!columns.sleeveLength) return new Map(found);
  const sleeve: Hint = `sleeveLength:${columns.sleeveLength}`;
  const others = found.filter(([hint]) => !isSleeve(hint));
  return new Map([...others, [sleeve, wholeColumn('sleeve_length', row.sleeve_length, text)]]);
}

/** Columns of one attribute each win over the words of title and product type. */
export function readTextAttributes(
  row: FeedAttributes,
  text: RowText,
): { attributes: TextAttributes; hints: Hints } {
  const named = text.fields.filter(({ name }) => name !== 'description');
  const columns = readColumns(row, text);
  const cues = cuesOf(named);
  const pattern = named
    .flatMap(({ placed }) => placed)
    .find((place) => place.match.entry.kind === 'pattern' && isOwn(place))?.match.entry.id;
  return {
    attributes: {
      colors: columns.colors ?? colorsInText(named),
      pattern: columns.pattern ?? pattern,
      materials: columns.materials ?? materialsInText(named),
      sleeveLength: columns.sleeveLength ?? firstValue(cues, 'sleeveLength'),
      gender: columns.gender ?? genderOf(cues),
      ageGroup: columns.ageGroup ?? firstValue(cues, 'ageGroup'),
      weight: columns.weight ?? firstValue(cues, 'weight'),
      properties: allValues(cuesOf(text.fields), 'properties'),
      seasons: allValues(cues, 'season'),
      notUnderstood: columns.notUnderstood,
    },
    hints: hintsOf(named, columns, row, text),
  };
}
