import type { Locale } from '../dictionary/schema.ts';
import { remembered } from '../lazily.ts';

const endsWithAny = (word: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => word.endsWith(ending));

/** Plural-only nouns whose singular is another word ("short" is an adjective, "shorts" a garment). */
// biome-ignore format: a list reads best in lines
const ENGLISH_EXCEPTIONS = new Set([
  'shorts', 'flats', 'tights', 'khakis', 'trunks', 'cords', 'briefs',
]);

function stemEnglish(word: string): string {
  if (ENGLISH_EXCEPTIONS.has(word)) return word;
  let stem = word;
  if (/(?:ss|sh|ch|x|zz)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && !/(?:ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith('ie') ? `${stem.slice(0, -2)}y` : stem;
}

/** "Cape" and "Cap" would share a stem. */
const GERMAN_EXCEPTIONS = new Set(['cape']);
const GERMAN_ENDINGS = ['ern', 'en', 'em', 'er', 'es', 'e', 'n', 's'] as const;

function stemGerman(word: string): string {
  if (GERMAN_EXCEPTIONS.has(word)) return word;
  const ending = endsWithAny(word, GERMAN_ENDINGS);
  return ending && word.length - ending.length >= 3 ? word.slice(0, -ending.length) : word;
}

const DUTCH_EXCEPTIONS = new Set(['muts', 'cape', 'bordeaux', 'grijs', 'paars']);
const DOUBLED = /([bdfgklmnprst])\1$/;
const SOFTENED: Readonly<Record<string, string>> = { z: 's', v: 'f' };

function stemDutch(word: string): string {
  if (DUTCH_EXCEPTIONS.has(word) || word.endsWith('laars')) return word;
  let stem = word;
  if (/..en$/.test(stem)) stem = stem.slice(0, -2);
  else if (/..[^e]e$/.test(stem)) stem = stem.slice(0, -1);
  else if (/..[^s]s$/.test(stem)) stem = stem.slice(0, -1);
  if (stem === word) return word;
  const last = stem.at(-1) ?? '';
  if (SOFTENED[last]) stem = stem.slice(0, -1) + SOFTENED[last];
  return DOUBLED.test(stem) ? stem.slice(0, -1) : stem;
}

function stemFrench(word: string): string {
  let stem = /[sx]$/.test(word) ? word.slice(0, -1) : word;
  if (stem.length > 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  if (stem.length > 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  return stem;
}

function stemSpanish(word: string): string {
  const singular = word.endsWith('s') ? word.slice(0, -1) : word;
  return /[nlrdzj]e$/.test(singular) && singular.length > 4 ? singular.slice(0, -1) : singular;
}

function stemItalian(word: string): string {
  if (/[bcdfglmnpqrtvz]s$/.test(word)) return word.slice(0, -1);
  const stem = /[aeio]$/.test(word) ? word.slice(0, -1) : word;
  return /[cg]h$/.test(stem) ? stem.slice(0, -1) : stem;
}

const STEMMERS: Readonly<Record<Locale, (word: string) => string>> = {
  en: remembered(stemEnglish),
  de: remembered(stemGerman),
  fr: remembered(stemFrench),
  es: remembered(stemSpanish),
  it: remembered(stemItalian),
  nl: remembered(stemDutch),
};

/**
 * Returns the stem of a folded word, shared by singular and plural and by most genders and cases. Stems are for
 * comparison within a language, not for display.
 */
export const stem = (word: string, locale: Locale): string =>
  word.length <= 3 ? word : STEMMERS[locale](word);
