import { colourFamilies, dictionary, type Locale } from '../../taxonomy/dictionary/schema.ts';
import { type Ensemble, isDress, isSet, itemsOf } from '../wardrobe/ensemble.ts';
import type { ScoringContext, WornItem } from './context.ts';
import { type Oklch, oklchOf } from './harmony.ts';
import { visibleItems } from './score.ts';

interface Phrases {
  /** Adjective of a feel, in agreement with the word for look. */
  feel: Readonly<Record<string, string>>;
  /** The word for look, qualified by an occasion. */
  style: Readonly<Record<string, string>>;
  /** `{feel}`, `{look}` (with its style) and `{colour}` in the order of the language. */
  pattern: string;
  /** The same without a colour. */
  plain: string;
  with: string;
}

// biome-ignore format: a table reads best aligned
const PHRASES: Readonly<Record<Locale, Phrases>> = {
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

const DEFAULT_OCCASION = 'casual';

const swatches = dictionary.colourFamilies.flatMap((family) =>
  family.hex && family.measurable ? [{ family, colour: oklchOf(family.hex) }] : [],
);

const distance = (a: Oklch, b: Oklch): number => {
  const turn = Math.PI / 180;
  const dx = a.c * Math.cos(a.h * turn) - b.c * Math.cos(b.h * turn);
  const dy = a.c * Math.sin(a.h * turn) - b.c * Math.sin(b.h * turn);
  return Math.hypot(a.l - b.l, dx, dy);
};

/** The colour family closest to a colour. */
function familyOf(colour: Oklch): string {
  const [first, ...rest] = swatches;
  if (!first) throw new Error('The dictionary has no colours');
  return rest.reduce(
    (best, next) => (distance(colour, next.colour) < distance(colour, best.colour) ? next : best),
    first,
  ).family.id;
}

/** A label inside a sentence: its first part, in lower case unless the language capitalises nouns. */
function inSentence(label: string, locale: Locale): string {
  const short = label.split(/ \/ | \(| & /)[0] ?? label;
  return locale === 'de' || /^[A-ZÀ-Ý]{2}|^\p{Lu}-/u.test(short)
    ? short
    : short.charAt(0).toLowerCase() + short.slice(1);
}

/** The visible items, the most visible first. */
function byVisibility(context: ScoringContext, ensemble: Ensemble<WornItem>): WornItem[] {
  const rank = (item: WornItem) =>
    isDress(item.garment) || isSet(item.garment) ? 2 : item === ensemble.outer ? 0 : 1;
  return visibleItems(context, ensemble)
    .sort(([a, areaA], [b, areaB]) => rank(b) - rank(a) || areaB - areaA)
    .map(([item]) => item);
}

const labelOf = (item: WornItem, locale: Locale): string =>
  inSentence(item.garment.category.labels[locale] ?? item.garment.category.labels.en ?? '', locale);

/** The name of an outfit by itself: its feel, occasion and colour. */
function baseName(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  icl: number,
  locale: Locale,
): string {
  const phrases = PHRASES[locale];
  const { feel } = context.model.tables;
  const feelId = feel.find(({ belowIcl }) => belowIcl === null || icl < belowIcl)?.id ?? '';
  const look = phrases.style[context.situation.occasion ?? DEFAULT_OCCASION] ?? '';
  const colour = byVisibility(context, ensemble).find(({ garment }) => garment.colour)?.garment
    .colour;
  const label = colour && colourFamilies.get(familyOf(colour))?.labels[locale];
  const name = (label ? phrases.pattern : phrases.plain)
    .replace('{feel}', phrases.feel[feelId] ?? '')
    .replace('{look}', look)
    .replace('{colour}', label ? inSentence(label, locale) : '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Labels that may distinguish an outfit: those of its items, the most visible first. */
function distinguishingLabels(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  locale: Locale,
): string[] {
  const visible = byVisibility(context, ensemble);
  const rest = itemsOf(ensemble).filter((item) => !visible.includes(item));
  return [...visible, ...rest].map((item) => labelOf(item, locale));
}

/** Unique names for outfits of one response: equal names get the label of an item, or a number. */
export function nameOutfits(
  context: ScoringContext,
  outfits: readonly { ensemble: Ensemble<WornItem>; icl: number }[],
  locale: Locale,
): string[] {
  const taken = new Set<string>();
  const names = outfits.map(({ ensemble, icl }) => baseName(context, ensemble, icl, locale));
  return outfits.map(({ ensemble }, at) => {
    const name = names[at]!;
    const isUnique = names.indexOf(name) === names.lastIndexOf(name);
    const labels = isUnique ? [] : distinguishingLabels(context, ensemble, locale);
    const options = [
      ...(isUnique ? [name] : []),
      ...labels.map((label) => `${name} ${PHRASES[locale].with} ${label}`),
      ...outfits.map((_, i) => `${name} ${i + 1}`),
    ];
    const free = options.find((option) => !taken.has(option)) ?? name;
    taken.add(free);
    return free;
  });
}
