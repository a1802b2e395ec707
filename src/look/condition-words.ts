import { readTable } from '../taxonomy/tables.ts';
import type { Condition } from './tables.ts';

/**
 * How forecasts name the weather, in any of six languages: data/look/weather-words.tsv. A text is read in small letters,
 * without accents and punctuation. The first line that occurs in it decides; `also` is a second word that must occur too.
 */
const WORDS = readTable('look/weather-words').map(([condition, words = '', also = '']) => ({
  condition: condition as Condition,
  words: new RegExp(words),
  also: new RegExp(also),
}));

/** Codes of services, in data/look/weather-codes.tsv; where two use the same, that of the better known. */
const CODES = readTable('look/weather-codes').map(([from, to, condition]) => ({
  from: Number(from),
  to: Number(to),
  condition: condition as Condition,
}));

/** Groups of METAR, of pairs of letters: `+SHSN` is a heavy shower of snow. */
const METAR =
  /\b(?:vc|mi|pr|bc|dr|bl|sh|ts|fz|dz|ra|sn|sg|ic|pl|gr|gs|up|br|fg|fu|va|du|sa|hz|py|po|sq|fc|ss|ds){2,4}\b/g;

/** A minus of METAR: `-SHRA` is a light shower. */
const LIGHT = /(?<=^|\s)-(?=(?:[a-z]{2}){1,4}(?:\s|$))/g;

/** Says that something is not the case: `no rain`, `ohne Regen`. */
const NEGATED =
  /\b(no|not|without|kein\w*|ohne|pas de|sans|sin|senza|geen|zonder) (?!nuage|nub|cloud)\S+/g;

const NIGHT = /\b(night|nacht|nuit|noche|notte|polartwilight)\b|^\d\dn$/;

/** The weather that a text or a code names, and whether it says that it is night. */
export function readCondition(input: string | number): { condition: Condition; isNight: boolean } {
  const text = String(input)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(LIGHT, 'light ')
    .replaceAll(/[^a-z0-9+]+/g, ' ')
    .trim();
  return { condition: conditionOf(text), isNight: NIGHT.test(text) };
}

function conditionOf(text: string): Condition {
  const code = Number(text);
  const said = text
    .replaceAll(NEGATED, ' ')
    .replaceAll(METAR, (group) => group.replaceAll(/../g, '$& ').trim());
  const row = /^\d+$/.test(text)
    ? CODES.find(({ from, to }) => from <= code && code <= to)
    : WORDS.find(({ words, also }) => words.test(said) && also.test(said));
  return row?.condition ?? 'unknown';
}
