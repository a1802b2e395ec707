import { AGE_GROUP_IDS, dictionary, GENDER_IDS } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { type MaterialShare, readComposition } from './composition.ts';
import type { RowText } from './fields.ts';
import type { Match } from './scan.ts';
import type { Cue } from './words.ts';

/** What the columns of a row that hold one attribute each say of it, in the dictionary's ids. */
export interface Columns {
  colors: readonly string[] | undefined;
  materials: readonly MaterialShare[] | undefined;
  pattern: string | undefined;
  gender: string | undefined;
  ageGroup: string | undefined;
  sleeveLength: string | undefined;
  weight: string | undefined;
  /** Columns that hold something and were not understood. */
  notUnderstood: readonly string[];
}

const MOST_COLORS = 4;

/** What "dark" and "light" make of a family, where the dictionary has a name for it. */
const TONES: Readonly<Record<'tone:dark' | 'tone:light', Readonly<Record<string, string>>>> = {
  'tone:dark': { blue: 'navy', grey: 'charcoal', red: 'burgundy', beige: 'tan', yellow: 'mustard' },
  'tone:light': { blue: 'light_blue', brown: 'tan', purple: 'lavender' },
};

const touches = (a: Match, b: Match): boolean => a.first <= b.last + 1 && b.first <= a.last + 1;

/** The colour families that words name, each once; "dark blue" is one. */
export function colorsOf(matches: readonly Match[]): string[] {
  const families = matches
    .filter(({ entry }) => entry.kind === 'colour')
    .map((match) => {
      const tone = matches.find(
        ({ entry, ...place }) =>
          entry.kind === 'cue' && entry.id in TONES && touches({ entry, ...place }, match),
      )?.entry.id;
      const toned = tone === 'tone:dark' || tone === 'tone:light' ? TONES[tone] : {};
      return toned[match.entry.id] ?? match.entry.id;
    });
  return [...new Set(families)].slice(0, MOST_COLORS);
}

/** What all cues of a kind say: `sleeveLength:long` says `long` of `sleeveLength`. */
export const allValues = (cues: readonly Cue[], kind: string): string[] => [
  ...new Set(
    cues.filter((cue) => cue.startsWith(`${kind}:`)).map((cue) => cue.slice(kind.length + 1)),
  ),
];

export const firstValue = (cues: readonly Cue[], kind: string): string | undefined =>
  allValues(cues, kind)[0];

/** Whom the article is for; for both, where both are named. */
export const genderOf = (cues: readonly Cue[]): string | undefined => {
  const said = allValues(cues, 'gender');
  return said.length > 1 ? 'unisex' : said[0];
};

/** A column of sleeve lengths says "long" and no more. */
const SLEEVE_BY_LENGTH: Readonly<Record<string, string>> = { maxi: 'long', mini: 'short' };
const sleeveOf = (cues: readonly Cue[]): string | undefined =>
  firstValue(cues, 'sleeveLength') ?? SLEEVE_BY_LENGTH[firstValue(cues, 'length') ?? ''];

const SLEEVE_IDS = dictionary.attributes.sleeveLength.map(({ id }) => id);
const WEIGHT_IDS = dictionary.attributes.weight.map(({ id }) => id);

const someOf = <T>(values: readonly T[]): readonly T[] | undefined =>
  values.length > 0 ? values : undefined;

/** Reads the columns of one attribute each: an id of the dictionary, or words for it. */
export function readColumns(row: FeedAttributes, { read }: RowText): Columns {
  const notUnderstood: string[] = [];
  const column = <T>(
    name: keyof FeedAttributes & string,
    understand: (text: string) => T | undefined,
  ): T | undefined => {
    const text = row[name];
    if (typeof text !== 'string' || text.trim() === '') return undefined;
    const value = understand(text);
    if (value === undefined) notUnderstood.push(name);
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
    colors: column('color', (text) => someOf(colorsOf(read(text, 'colour').matches))),
    materials: column('material', (text) => {
      const { tokens, matches } = read(text, 'material');
      return someOf(readComposition(tokens, matches));
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
    notUnderstood,
  };
}
