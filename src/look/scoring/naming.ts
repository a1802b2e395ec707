import { colourFamilies, type Locale } from '../../taxonomy/dictionary/schema.ts';
import { DEFAULT_OCCASION, GARMENTS, NAME_WORDS } from '../texts/names.ts';
import { fill } from '../texts/texts.ts';
import { type Ensemble, isDress, isSet, itemsOf } from '../wardrobe/ensemble.ts';
import type { ScoringContext, WornItem } from './context.ts';
import { visibleItems } from './score.ts';

/** A label inside a sentence: its first part, in lower case unless the language capitalises nouns. */
function inSentence(label: string, locale: Locale): string {
  const short = (label.split(/ \/ | \(| & /)[0] ?? label).replaceAll("'", '’');
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

const colourLabel = (item: WornItem, locale: Locale): string | undefined => {
  const label = colourFamilies.get(item.garment.colourFamily ?? '')?.labels[locale];
  return label && inSentence(label, locale);
};

function garmentLabel({ garment: { category } }: WornItem, locale: Locale): string {
  return GARMENTS[locale][category.id] ?? inSentence(category.labels[locale] ?? '', locale);
}

/** The name of an outfit by itself: its feel, occasion and colour. */
function baseName(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  icl: number,
  locale: Locale,
): string {
  const words = NAME_WORDS[locale];
  const { feel } = context.model.tables;
  const feelId = feel.find(({ belowIcl }) => belowIcl === null || icl < belowIcl)?.id ?? '';
  const look = words.style[context.situation.occasion ?? DEFAULT_OCCASION] ?? '';
  const colored = byVisibility(context, ensemble).find(({ garment }) => garment.colour);
  const colour = colored && colourLabel(colored, locale);
  const template = colour ? words.pattern : words.plain;
  const name = fill(template, { feel: words.feel[feelId] ?? '', look, colour: colour ?? '' });
  return name.charAt(0).toUpperCase() + name.slice(1);
}

type Describe = (item: WornItem, locale: Locale) => string;

const withColour: Describe = (item, locale) => {
  const garment = garmentLabel(item, locale);
  const colour = colourLabel(item, locale);
  return colour ? fill(NAME_WORDS[locale].coloured, { garment, colour }) : garment;
};

const withText = (item: WornItem, locale: Locale, text: string): string =>
  `${garmentLabel(item, locale)} ${fill(NAME_WORDS[locale].quote, { text })}`;

const withName: Describe = (item, locale) => {
  const { name } = item.garment;
  return name === undefined ? withColour(item, locale) : withText(item, locale, name);
};

/** Ways to describe an item, the shortest first. */
const DESCRIPTIONS: readonly Describe[] = [garmentLabel, withColour, withName];

/** Describes items so that no two have the same description: those that look alike by their ids. */
function describeExactly(items: Iterable<WornItem>, locale: Locale): Describe {
  let idsOf: Map<string, Set<string>> | undefined;
  return (item) => {
    // Few responses need it, and the name of a colour takes long to find.
    if (!idsOf) {
      idsOf = new Map();
      for (const one of items) {
        const looks = withName(one, locale);
        idsOf.set(looks, (idsOf.get(looks) ?? new Set()).add(one.garment.id));
      }
    }
    const looks = withName(item, locale);
    return (idsOf.get(looks)?.size ?? 0) > 1 ? withText(item, locale, item.garment.id) : looks;
  };
}

/** Ways to choose one, two or three of these, the fewest first, in order. */
function* fewOf<T>(all: readonly T[]): Generator<T[]> {
  for (const one of all) yield [one];
  for (const [at, one] of all.entries()) for (const two of all.slice(at + 1)) yield [one, two];
  for (const [at, one] of all.entries())
    for (const [next, two] of all.slice(at + 1).entries())
      for (const three of all.slice(at + next + 2)) yield [one, two, three];
}

/** Returns up to three descriptions that none of the others has; undefined if there are none. */
function findDistinct(
  own: readonly string[],
  others: readonly ReadonlySet<string>[],
): string[] | undefined {
  for (const parts of fewOf(own))
    if (!others.some((other) => parts.every((part) => other.has(part)))) return parts;
  return undefined;
}

/** An outfit to name: its items, the most telling first, and its name by itself. */
interface Nameable {
  items: readonly WornItem[];
  base: string;
}

/** Returns what only this outfit has of those with the same name, if there is such a thing. */
function findDistinction(
  { items }: Nameable,
  others: readonly Nameable[],
  describe: (item: WornItem) => string,
): string[] | undefined {
  return findDistinct(
    items.map(describe),
    others.map((other) => new Set(other.items.map(describe))),
  );
}

/** Returns all that an outfit has, if none of those with the same name has just the same. */
function describeAll(
  { items }: Nameable,
  others: readonly Nameable[],
  describe: (item: WornItem) => string,
): string[] | undefined {
  const textOf = (some: readonly WornItem[]) => some.map(describe).sort().join('\n');
  const own = textOf(items);
  return others.some((other) => textOf(other.items) === own) ? undefined : items.map(describe);
}

/**
 * Names the outfits of one response, each differently: equal names get what only one of them has, such
 * as an item, its colour or its name; an id only if nothing else tells outfits apart.
 */
export function nameOutfits(
  context: ScoringContext,
  outfits: readonly { ensemble: Ensemble<WornItem>; icl: number }[],
  locale: Locale,
): string[] {
  const words = NAME_WORDS[locale];
  const all = outfits.map(({ ensemble, icl }): Nameable => {
    const visible = byVisibility(context, ensemble);
    const rest = itemsOf(ensemble).filter((item) => !visible.includes(item));
    return { items: [...visible, ...rest], base: baseName(context, ensemble, icl, locale) };
  });
  const exactly = describeExactly(
    all.flatMap(({ items }) => items),
    locale,
  );
  const unqualified = new Set<string>();
  return all.map((nameable) => {
    const { base, items } = nameable;
    const others = all.filter((other) => other !== nameable && other.base === base);
    /** Tries each way to describe items. */
    const qualify = (find: typeof findDistinction, ways: readonly Describe[]) => {
      for (const describe of ways) {
        const found = find(nameable, others, (item) => describe(item, locale));
        if (found) return qualified(found);
      }
      return undefined;
    };
    const qualified = (parts: readonly string[]) =>
      fill(words.with, { name: base, garments: enumerate(parts, words.and) });
    const named = others.length > 0 ? qualify(findDistinction, DESCRIPTIONS) : undefined;
    if (named !== undefined) return named;
    if (!unqualified.has(base)) {
      unqualified.add(base);
      return base;
    }
    return (
      qualify(describeAll, DESCRIPTIONS) ??
      qualify(findDistinction, [exactly]) ??
      qualified(items.map((item) => exactly(item, locale)))
    );
  });
}

/** `a, b and c`. */
const enumerate = (parts: readonly string[], and: string): string =>
  [parts.slice(0, -1).join(', '), parts.at(-1) ?? ''].filter(Boolean).join(` ${and} `);
