import { categories, groups, type Locale, type Region } from '../dictionary/schema.ts';
import { type ClauseRole, isThing, type Placed } from './clauses.ts';
import { isGeneral } from './refine.ts';
import type { Match } from './scan.ts';
import type { Token } from './tokens.ts';
import { HEAD_IS_LAST } from './words.ts';

/** A thing that a text names, and how much the text speaks for it being the article itself, 0–1. */
export interface Thing {
  match: Match;
  weight: number;
}

/** Words after these are parts, stuff, purpose or company of the article, seldom its name. */
const AFTER_ROLE: Readonly<Record<ClauseRole, number>> = {
  of: 0.3,
  with: 0.15,
  for: 0.1,
  pair: 0,
};
const BESIDE_HEAD = 0.25;
const COORDINATED = 0.8;
const LATER_SEGMENT = 0.35;

/** The things of a text that are not taken back, by segment. */
function segmentsOf(placed: readonly Placed[]): Placed[][] {
  const parts = new Map<number, Placed[]>();
  for (const place of placed) {
    if (!isThing(place.match) || place.negated) continue;
    const part = parts.get(place.segment);
    if (part) part.push(place);
    else parts.set(place.segment, [place]);
  }
  return [...parts.values()];
}

function placeOf({ entry }: Match): { region: Region | null; slot: string } | undefined {
  if (entry.kind === 'garment') {
    const category = categories.get(entry.id);
    return category && { region: category.region, slot: category.bodySlot };
  }
  const group = entry.kind === 'group' ? groups.get(entry.id) : undefined;
  return group && { region: group.region, slot: '' };
}

/** "Turtleneck sweater": the special word beside a general one is the better name. */
function isSpecialOf(special: Match, general: Match): boolean {
  if (special.entry.kind !== 'garment' || isGeneral(special.entry.id)) return false;
  const [a, b] = [placeOf(special), placeOf(general)];
  if (!a || !b) return false;
  if (general.entry.kind === 'group') return a.region === b.region;
  return general.entry.kind === 'garment' && isGeneral(general.entry.id) && a.slot === b.slot;
}

/** "Pyjama set with top and bottoms": a word for a group names nothing where a garment is named. */
const isNamedBeside = (match: Match, head: Match): boolean =>
  match.entry.kind === 'garment' && head.entry.kind === 'group' && head.entry.id !== 'shoes';

const CONJUNCTIONS: Readonly<Record<Locale, readonly string[]>> = {
  en: ['and', 'or'],
  de: ['und', 'oder'],
  fr: ['et', 'ou'],
  es: ['y', 'e', 'o'],
  it: ['e', 'ed', 'o'],
  nl: ['en', 'of'],
};

/** "Suits & blazers", "top and shorts": two names of equal rank. */
const areListed = (tokens: readonly Token[], a: Match, b: Match, locale: Locale): boolean => {
  if (b.first === a.last + 1) return tokens[b.first]?.before === 'list';
  const between = tokens[a.last + 1];
  return b.first === a.last + 2 && CONJUNCTIONS[locale].includes(between?.text ?? '');
};

/** The things of one segment that could be its name: the head, its equals, a special word for it. */
function headsOf(tokens: readonly Token[], main: readonly Match[], locale: Locale): Set<Match> {
  const ordered = HEAD_IS_LAST[locale] ? main.toReversed() : main;
  const head = ordered[0];
  if (!head) return new Set();
  const special = ordered
    .slice(1)
    .find((match) => isSpecialOf(match, head) || isNamedBeside(match, head));
  if (special) return new Set([special]);
  const heads = [head];
  for (const match of ordered.slice(1)) {
    const neighbour = heads.at(-1) ?? head;
    const [a, b] = match.first < neighbour.first ? [match, neighbour] : [neighbour, match];
    if (!areListed(tokens, a, b, locale)) break;
    heads.push(match);
  }
  return new Set(heads);
}

function weighSegment(tokens: readonly Token[], part: readonly Placed[], locale: Locale): Thing[] {
  const main = part.filter(({ role }) => role === undefined).map(({ match }) => match);
  // "Chaqueta de plumífero": where the head comes first, the special word may follow an "of".
  const general = main.length === 1 ? main[0] : undefined;
  const after =
    general &&
    part.find(
      ({ match, role }) => role === 'of' && !HEAD_IS_LAST[locale] && isSpecialOf(match, general),
    );
  const heads = after ? new Set([after.match]) : headsOf(tokens, main, locale);
  return part.map(({ match, role }) => {
    if (heads.has(match)) return { match, weight: heads.size > 1 ? COORDINATED : 1 };
    return { match, weight: role ? AFTER_ROLE[role] : BESIDE_HEAD };
  });
}

/** A product type is a path from the general to the special: its last step that names a thing counts. */
export type Reading = 'title' | 'path';

/** Weighs every thing that a text names. */
export function weighThings(
  tokens: readonly Token[],
  placed: readonly Placed[],
  locale: Locale,
  reading: Reading,
): Thing[] {
  const parts = segmentsOf(placed);
  const ordered = reading === 'path' ? parts.toReversed() : parts;
  let mainSeen = false;
  return ordered.flatMap((part) => {
    const factor = mainSeen ? LATER_SEGMENT : 1;
    const things = weighSegment(tokens, part, locale);
    mainSeen ||= things.some(({ weight }) => weight >= COORDINATED);
    return things.map(({ match, weight }) => ({ match, weight: weight * factor }));
  });
}
