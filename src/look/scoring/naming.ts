import { colourFamilies, dictionary, type Locale } from '../../taxonomy/dictionary/schema.ts';
import { isDress, isSet, type Worn, wornItems } from '../wardrobe/ensemble.ts';
import type { Judgement, Piece } from './context.ts';
import { type Oklch, oklchOf } from './harmony.ts';
import { visiblePieces } from './score.ts';

interface Words {
  /** Adjective of a feel, agreeing with the word for look. */
  feel: Readonly<Record<string, string>>;
  /** How an occasion qualifies the word for look. */
  style: Readonly<Record<string, string>>;
  /** `{feel}`, `{look}` (with its style) and `{colour}` in the order of the language. */
  pattern: string;
  /** The same where no colour is known. */
  plain: string;
  with: string;
}

// biome-ignore format: a table reads best aligned
const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    feel: { airy: 'Airy', light: 'Light', layered: 'Layered', warm: 'Warm', winter: 'Winter-proof' },
    style: {
      home: 'home look', casual: 'casual look', sport: 'sports look', outdoor: 'outdoor look', travel: 'travel look',
      school: 'school look', smart_casual: 'smart casual look', work: 'work look', business_formal: 'business look',
      date: 'date look', party: 'party look', ceremony: 'formal look', beach: 'beach look',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: 'with',
  },
  de: {
    feel: { airy: 'Luftiger', light: 'Leichter', layered: 'Mehrlagiger', warm: 'Warmer', winter: 'Winterfester' },
    style: {
      home: 'Look für zu Hause', casual: 'Freizeitlook', sport: 'Sportlook', outdoor: 'Outdoor-Look', travel: 'Reiselook',
      school: 'Schullook', smart_casual: 'Smart-Casual-Look', work: 'Bürolook', business_formal: 'Business-Look',
      date: 'Date-Look', party: 'Partylook', ceremony: 'festlicher Look', beach: 'Strandlook',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: 'mit',
  },
  fr: {
    feel: { airy: 'aéré', light: 'léger', layered: 'superposé', warm: 'chaud', winter: 'd’hiver' },
    style: {
      home: 'Look d’intérieur', casual: 'Look décontracté', sport: 'Look de sport', outdoor: 'Look de plein air', travel: 'Look de voyage',
      school: 'Look d’école', smart_casual: 'Look chic décontracté', work: 'Look de bureau', business_formal: 'Look d’affaires',
      date: 'Look de rendez-vous', party: 'Look de fête', ceremony: 'Look de cérémonie', beach: 'Look de plage',
    },
    pattern: '{look} {feel} en {colour}', plain: '{look} {feel}', with: 'avec',
  },
  es: {
    feel: { airy: 'fresco', light: 'ligero', layered: 'en capas', warm: 'abrigado', winter: 'de invierno' },
    style: {
      home: 'Look de casa', casual: 'Look informal', sport: 'Look deportivo', outdoor: 'Look de aire libre', travel: 'Look de viaje',
      school: 'Look de clase', smart_casual: 'Look casual elegante', work: 'Look de oficina', business_formal: 'Look de negocios',
      date: 'Look de cita', party: 'Look de fiesta', ceremony: 'Look de ceremonia', beach: 'Look de playa',
    },
    pattern: '{look} {feel} en {colour}', plain: '{look} {feel}', with: 'con',
  },
  it: {
    feel: { airy: 'fresco', light: 'leggero', layered: 'a strati', warm: 'caldo', winter: 'invernale' },
    style: {
      home: 'Look da casa', casual: 'Look casual', sport: 'Look sportivo', outdoor: 'Look da esterni', travel: 'Look da viaggio',
      school: 'Look da scuola', smart_casual: 'Look smart casual', work: 'Look da ufficio', business_formal: 'Look da lavoro formale',
      date: 'Look da appuntamento', party: 'Look da festa', ceremony: 'Look da cerimonia', beach: 'Look da spiaggia',
    },
    pattern: '{look} {feel} in {colour}', plain: '{look} {feel}', with: 'con',
  },
  nl: {
    feel: { airy: 'Luchtige', light: 'Lichte', layered: 'Gelaagde', warm: 'Warme', winter: 'Winterse' },
    style: {
      home: 'thuislook', casual: 'vrijetijdslook', sport: 'sportlook', outdoor: 'outdoorlook', travel: 'reislook',
      school: 'schoollook', smart_casual: 'smart-casual-look', work: 'werklook', business_formal: 'zakelijke look',
      date: 'datelook', party: 'feestlook', ceremony: 'feestelijke look', beach: 'strandlook',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: 'met',
  },
};

const OCCASION_WITHOUT_ONE = 'casual';

const swatches = dictionary.colourFamilies.flatMap((family) =>
  family.hex && family.measurable ? [{ family, colour: oklchOf(family.hex) }] : [],
);

const distance = (a: Oklch, b: Oklch): number => {
  const turn = Math.PI / 180;
  const dx = a.c * Math.cos(a.h * turn) - b.c * Math.cos(b.h * turn);
  const dy = a.c * Math.sin(a.h * turn) - b.c * Math.sin(b.h * turn);
  return Math.hypot(a.l - b.l, dx, dy);
};

/** The colour family nearest to a colour. */
function familyOf(colour: Oklch): string {
  const [first, ...rest] = swatches;
  if (!first) throw new Error('The dictionary has no colours');
  return rest.reduce(
    (best, next) => (distance(colour, next.colour) < distance(colour, best.colour) ? next : best),
    first,
  ).family.id;
}

/** A label as it stands inside a sentence: its first part, small unless the language writes nouns large. */
function inSentence(label: string, locale: Locale): string {
  const short = label.split(/ \/ | \(| & /)[0] ?? label;
  return locale === 'de' || /^[A-ZÀ-Ý]{2}|^\p{Lu}-/u.test(short)
    ? short
    : short.charAt(0).toLowerCase() + short.slice(1);
}

/** The piece that is seen most, and the next. */
function bySight(judgement: Judgement, worn: Worn<Piece>): Piece[] {
  const rank = (piece: Piece) =>
    isDress(piece.garment) || isSet(piece.garment) ? 2 : piece === worn.outer ? 0 : 1;
  return visiblePieces(judgement, worn)
    .sort(([a, areaA], [b, areaB]) => rank(b) - rank(a) || areaB - areaA)
    .map(([piece]) => piece);
}

const labelOf = (piece: Piece, locale: Locale): string =>
  inSentence(
    piece.garment.category.labels[locale] ?? piece.garment.category.labels.en ?? '',
    locale,
  );

/** The name of an outfit by itself: how it feels, what for, and its colour. */
function plainName(judgement: Judgement, worn: Worn<Piece>, icl: number, locale: Locale): string {
  const words = WORDS[locale];
  const { feel } = judgement.model.tables;
  const feelId = feel.find(({ belowIcl }) => belowIcl === null || icl < belowIcl)?.id ?? '';
  const look = words.style[judgement.situation.occasion ?? OCCASION_WITHOUT_ONE] ?? '';
  const colour = bySight(judgement, worn).find(({ garment }) => garment.colour)?.garment.colour;
  const label = colour && colourFamilies.get(familyOf(colour))?.labels[locale];
  const name = (label ? words.pattern : words.plain)
    .replace('{feel}', words.feel[feelId] ?? '')
    .replace('{look}', look)
    .replace('{colour}', label ? inSentence(label, locale) : '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What is told apart by: the labels of the pieces, the one seen most first. */
function tellingLabels(judgement: Judgement, worn: Worn<Piece>, locale: Locale): string[] {
  const seen = bySight(judgement, worn);
  const rest = wornItems(worn).filter((piece) => !seen.includes(piece));
  return [...seen, ...rest].map((piece) => labelOf(piece, locale));
}

/**
 * Names for outfits that are offered together: no two are the same. Where names would be, a piece
 * that the other lacks is named, or else a number.
 */
export function nameAll(
  judgement: Judgement,
  outfits: readonly { worn: Worn<Piece>; icl: number }[],
  locale: Locale,
): string[] {
  const taken = new Set<string>();
  const names = outfits.map(({ worn, icl }) => plainName(judgement, worn, icl, locale));
  return outfits.map(({ worn }, at) => {
    const name = names[at]!;
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    const telling = isAlone ? [] : tellingLabels(judgement, worn, locale);
    const tries = [
      ...(isAlone ? [name] : []),
      ...telling.map((label) => `${name} ${WORDS[locale].with} ${label}`),
      ...outfits.map((_, i) => `${name} ${i + 1}`),
    ];
    const free = tries.find((one) => !taken.has(one)) ?? name;
    taken.add(free);
    return free;
  });
}
