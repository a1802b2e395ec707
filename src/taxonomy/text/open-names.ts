import { lazily } from '../lazily.ts';
import type { Naming } from './features.ts';
import { grammar, lexiconOf } from './lexicon.ts';
import { tokenize } from './tokens.ts';

/** A word of its own: no number, size or code. */
const isPlainWord = (text: string): boolean => /^[a-z]{3,}$/.test(text);

/** The least vote for a language of a word that means something by itself, not only within a phrase. */
const MIN_WORD_WEIGHT = 1;

/**
 * Whether a noun of an English title is directly followed by a word that says nothing by itself, which may be the
 * head: "coat caddy", "glove dryer" (only "hair dryer" is known). Hardly any real English title of a garment is written
 * so, but German ones are.
 */
function isBeforeHead({ field, mention: { match } }: Naming): boolean {
  const next = field.tokens[match.last + 1];
  if (field.name !== 'title' || field.locale !== 'en' || next?.before !== 'space') return false;
  const weight = lexiconOf('en').languageWeights.get(next.text) ?? 0;
  return isPlainWord(next.text) && weight < MIN_WORD_WEIGHT;
}

/** One sock or boot, in any of the languages, also at the end of a compound. */
const SINGLE_SOCK =
  /^(sock|stocking|boot|chaussette|botte|calcetin|bota|calza|\w*(socke|strumpf|stiefel|sok|laars))$/;
const FESTIVE = /^(christmas|xmas|santa|noel|navid|natal|befana|weihnacht|nikolaus|kerst)/;

/** Whether a single sock or boot is for Christmas: more often one to hang up and fill than one to wear. */
const mayBeDecoration = ({ field: { tokens }, mention: { match } }: Naming): boolean =>
  tokens.slice(match.first, match.last + 1).some(({ text }) => SINGLE_SOCK.test(text)) &&
  tokens.some(({ text }) => FESTIVE.test(text));

const ANIMAL =
  /^(dog|cat|pet|chien|chat|hund|katze|perro|gato|mascota|cane|cani|gatto|gatti|hond|kat)(s|e|en|n|ten)?$/;
const forWords = lazily(
  () =>
    new Set(
      grammar()
        .filter(({ meaning }) => meaning === 'role:for')
        .flatMap(({ word }) => tokenize(word))
        .map(({ text }) => text),
    ),
);

/** Whether the title says that an animal wears it: "for dogs". */
const isForAnimal = ({ field: { tokens } }: Naming): boolean =>
  tokens.some(({ text }, at) => ANIMAL.test(text) && forWords().has(tokens[at - 1]?.text ?? ''));

/** Whether the article may be another thing than its noun says. */
export const mayNameAnother = (naming: Naming): boolean =>
  isBeforeHead(naming) || mayBeDecoration(naming) || isForAnimal(naming);
