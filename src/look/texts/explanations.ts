import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import itTexts from './it.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import type { Text } from './texts.ts';

/** The texts of each language; those of English have every code. */
export const LANGUAGES = { en, de, fr, es, it: itTexts, nl } satisfies Record<Locale, unknown>;

type English = typeof en;

/** One section of the texts, by code and then by language. */
const section = <Name extends Exclude<keyof English, 'names' | 'garments'>>(name: Name) =>
  Object.fromEntries(
    Object.keys(en[name]).map((code) => [
      code,
      Object.fromEntries(
        Object.entries(LANGUAGES).map(([locale, texts]) => {
          const text = (texts[name] as Record<string, string>)[code];
          if (text === undefined) throw new Error(`${locale} has no text for ${name} ${code}`);
          return [locale, text];
        }),
      ),
    ]),
  ) as Readonly<Record<keyof English[Name] & string, Text>>;

/** What each explanation code says. `{region}`, `{place}` and `{occasion}` are words of the language. */
export const EXPLANATIONS = section('explanations');
/** The warning codes as labels. */
export const WARNINGS = section('warnings');
/** Why items were left out, or why there is no outfit. `{slot}` is a word of the language. */
export const DIAGNOSTICS = section('diagnostics');
/** Why something is put on for outside. */
export const SHELL_REASONS = section('shellReasons');
/** The regions of the targets, as the subject of a sentence. */
export const REGION_NAMES = section('regions');
/** The plans, as adverbs of place. */
export const PLACES = section('places');
/** The slots that a wardrobe can lack, as words. */
export const SLOT_NAMES = section('slots');
/** The plans as options. */
export const PLANS = section('plans');
/** Conditions that the dictionary does not have. */
export const CONDITION_NAMES = section('conditions');
/** Why an outfit is for indoors or outdoors. */
export const PLACE_REASONS = section('placeReasons');
/** Differences of insulation in garments. */
export const AMOUNT_NAMES = section('amounts');
/** Parts of the body that can be covered, and what would cover them. */
export const COVERAGE_NAMES = section('coverage');
export const COVER_NAMES = section('covers');
