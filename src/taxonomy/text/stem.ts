import type { Locale } from '../dictionary/schema.ts';

const endsWithAny = (word: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => word.endsWith(ending));

/** Plural-only nouns whose singular is another word ("short" is an adjective, "shorts" a garment). */
const ENGLISH_KEPT = new Set(['shorts', 'flats', 'tights', 'khakis', 'trunks', 'cords', 'briefs']);

function stemEnglish(word: string): string {
  if (ENGLISH_KEPT.has(word)) return word;
  let stem = word;
  if (/(?:ss|sh|ch|x|zz)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && !/(?:ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith('ie') ? `${stem.slice(0, -2)}y` : stem;
}

/** "Cape" and "Cap" would fall together. */
const GERMAN_KEPT = new Set(['cape']);
const GERMAN_ENDINGS = ['ern', 'en', 'em', 'er', 'es', 'e', 'n', 's'] as const;

function stemGerman(word: string): string {
  if (GERMAN_KEPT.has(word)) return word;
  const ending = endsWithAny(word, GERMAN_ENDINGS);
  return ending && word.length - ending.length >= 3 ? word.slice(0, -ending.length) : word;
}

const DUTCH_KEPT = new Set(['muts', 'cape', 'bordeaux', 'grijs', 'paars']);
const DOUBLED = /([bdfgklmnprst])\1$/;
const SOFTENED: Readonly<Record<string, string>> = { z: 's', v: 'f' };

function stemDutch(word: string): string {
  if (DUTCH_KEPT.has(word) || word.endsWith('laars')) return word;
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
  en: stemEnglish,
  de: stemGerman,
  fr: stemFrench,
  es: stemSpanish,
  it: stemItalian,
  nl: stemDutch,
};

/**
 * The part of a folded word that singular and plural, and most genders and cases, share. It is
 * made to be compared with other stems of the same language, not to be read.
 */
export const stem = (word: string, locale: Locale): string =>
  word.length <= 3 ? word : STEMMERS[locale](word);
