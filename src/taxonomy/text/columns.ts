import { AGE_GROUP_IDS, dictionary, GENDER_IDS } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { type MaterialShare, readComposition } from './composition.ts';
import type { RowText } from './fields.ts';
import type { Cue } from './grammar.ts';
import type { Match } from './scan.ts';

/** Attributes from columns that hold one attribute each, as ids of the dictionary. */
export interface AttributeColumns {
  colors: readonly string[] | undefined;
  materials: readonly MaterialShare[] | undefined;
  pattern: string | undefined;
  gender: string | undefined;
  ageGroup: string | undefined;
  sleeveLength: string | undefined;
  weight: string | undefined;
  /** Columns with a value that was not recognised. */
  unrecognisedColumns: readonly string[];
}

const MAX_COLORS = 4;

/** The families of "dark" and "light" shades, if the dictionary has one. */
const TONES: Readonly<Record<'tone:dark' | 'tone:light', Readonly<Record<string, string>>>> = {
  'tone:dark': { blue: 'navy', grey: 'charcoal', red: 'burgundy', beige: 'tan', yellow: 'mustard' },
  'tone:light': { blue: 'light_blue', brown: 'tan', purple: 'lavender' },
};

const isAdjacent = (a: Match, b: Match): boolean => a.first <= b.last + 1 && b.first <= a.last + 1;

/** Returns the distinct colour families of matches; "dark blue" is one. */
export function colorsOf(matches: readonly Match[]): string[] {
  const families = matches
    .filter(({ entry }) => entry.kind === 'colour')
    .map((match) => {
      const tone = matches.find(
        ({ entry, ...span }) =>
          entry.kind === 'cue' && entry.id in TONES && isAdjacent({ entry, ...span }, match),
      )?.entry.id;
      const toned = tone === 'tone:dark' || tone === 'tone:light' ? TONES[tone] : {};
      return toned[match.entry.id] ?? match.entry.id;
    });
  return [...new Set(families)].slice(0, MAX_COLORS);
}

/** Returns the values of all cues of a kind: `sleeveLength:long` is the value `long` of `sleeveLength`. */
export const allValues = (cues: readonly Cue[], kind: string): string[] => [
  ...new Set(
    cues.filter((cue) => cue.startsWith(`${kind}:`)).map((cue) => cue.slice(kind.length + 1)),
  ),
];

export const firstValue = (cues: readonly Cue[], kind: string): string | undefined =>
  allValues(cues, kind)[0];

/** Returns the gender; `unisex` if several are named. */
export const genderOf = (cues: readonly Cue[]): string | undefined => {
  const genders = allValues(cues, 'gender');
  return genders.length > 1 ? 'unisex' : genders[0];
};

/** In a column of sleeve lengths, "long" and "short" stand alone. */
const SLEEVE_BY_LENGTH: Readonly<Record<string, string>> = { maxi: 'long', mini: 'short' };
const sleeveOf = (cues: readonly Cue[]): string | undefined =>
  firstValue(cues, 'sleeveLength') ?? SLEEVE_BY_LENGTH[firstValue(cues, 'length') ?? ''];

const SLEEVE_IDS = dictionary.attributes.sleeveLength.map(({ id }) => id);
const WEIGHT_IDS = dictionary.attributes.weight.map(({ id }) => id);

const nonEmpty = <T>(values: readonly T[]): readonly T[] | undefined =>
  values.length > 0 ? values : undefined;

/** Reads the columns that hold one attribute each, as an id of the dictionary or in words. */
export function readColumns(row: FeedAttributes, { read }: RowText): AttributeColumns {
  const unrecognisedColumns: string[] = [];
  const column = <T>(
    name: keyof FeedAttributes & string,
    parse: (text: string) => T | undefined,
  ): T | undefined => {
    const text = row[name];
    if (typeof text !== 'string' || text.trim() === '') return undefined;
    const value = parse(text);
    if (value === undefined) unrecognisedColumns.push(name);
    return value;
  };
  const idOrWord =
    (ids: readonly string[], meaning: (cues: readonly Cue[]) => string | undefined) =>
    (text: string): string | undefined => {
      const id = text.trim().toLowerCase();
      if (ids.includes(id)) return id;
      const cues = read(text, 'cue').matches.flatMap(({ entry }) =>
        entry.kind === 'cue' ? [entry.id] : [],
      );
      return meaning(cues);
    };
  return {
    colors: column('color', (text) => nonEmpty(colorsOf(read(text, 'colour').matches))),
    materials: column('material', (text) => {
      const { tokens, matches } = read(text, 'material');
      return nonEmpty(readComposition(tokens, matches));
    }),
    pattern: column(
      'pattern',
      (text) =>
        read(text, 'pattern').matches.find(({ entry }) => entry.kind === 'pattern')?.entry.id,
    ),
    gender: column('gender', idOrWord(GENDER_IDS, genderOf)),
    ageGroup: column(
      'age_group',
      idOrWord(AGE_GROUP_IDS, (cues) => firstValue(cues, 'ageGroup')),
    ),
    sleeveLength: column('sleeve_length', idOrWord(SLEEVE_IDS, sleeveOf)),
    weight: column(
      'weight',
      idOrWord(WEIGHT_IDS, (cues) => firstValue(cues, 'weight')),
    ),
    unrecognisedColumns,
  };
}
