import { categories, groups, type Locale, type Region } from '../dictionary/schema.ts';
import { type ClauseMatch, type ClauseRole, isArticleNoun } from './clauses.ts';
import type { Field } from './fields.ts';
import { HEAD_IS_LAST } from './grammar.ts';
import { grammarWords } from './lexicon-files.ts';
import { namesOfSets } from './pieces.ts';
import { isGeneral } from './refine.ts';
import { isListed } from './rules.ts';
import type { Match } from './scan.ts';
import type { Token } from './tokens.ts';

/** A noun in the text, and the weight, 0–1, with which it names the article itself. */
export interface ArticleMention {
  match: Match;
  weight: number;
  /** Its clause; undefined if it is in the main clause. */
  role: ClauseRole | undefined;
}

/** Weights of nouns after role words: parts, material, purpose or pairings of the article, seldom its name. */
const ROLE_WEIGHTS: Readonly<Record<ClauseRole, number>> = {
  of: 0.3,
  with: 0.15,
  for: 0.1,
  pair: 0,
};
const MODIFIER_WEIGHT = 0.25;
const COORDINATED_WEIGHT = 0.8;
const LATER_SEGMENT_FACTOR = 0.35;

/** Groups the nouns that are not negated by segment. */
function groupBySegment(clauseMatches: readonly ClauseMatch[]): ClauseMatch[][] {
  const segments = new Map<number, ClauseMatch[]>();
  for (const clauseMatch of clauseMatches) {
    if (!isArticleNoun(clauseMatch.match) || clauseMatch.negated) continue;
    const segment = segments.get(clauseMatch.segment);
    if (segment) segment.push(clauseMatch);
    else segments.set(clauseMatch.segment, [clauseMatch]);
  }
  return [...segments.values()];
}

function bodyPlace({ entry }: Match): { region: Region | null; slot: string } | undefined {
  if (entry.kind === 'garment') {
    const category = categories.get(entry.id);
    return category && { region: category.region, slot: category.bodySlot };
  }
  const group = entry.kind === 'group' ? groups.get(entry.id) : undefined;
  return group && { region: group.region, slot: '' };
}

/** "Turtleneck sweater": a specific noun beside a general one is the better name. */
function isMoreSpecific(specific: Match, general: Match): boolean {
  if (specific.entry.kind !== 'garment' || isGeneral(specific.entry.id)) return false;
  const [a, b] = [bodyPlace(specific), bodyPlace(general)];
  if (!a || !b || (a.region === 'shoes') !== (b.region === 'shoes')) return false;
  if (general.entry.kind === 'group') return b.region === null || a.region === b.region;
  return general.entry.kind === 'garment' && isGeneral(general.entry.id) && a.slot === b.slot;
}

/** "Suits & blazers", "top and shorts": coordinated nouns. */
const areCoordinated = (tokens: readonly Token[], a: Match, b: Match, locale: Locale): boolean => {
  if (b.first === a.last + 1) return tokens[b.first]?.before === 'list';
  const between = tokens[a.last + 1]?.text ?? '';
  return b.first === a.last + 2 && grammarWords('conjunction', locale).has(between);
};

/** Returns the heads of a segment: the head noun and nouns coordinated with it, or a more specific noun. */
function findHeads(tokens: readonly Token[], main: readonly Match[], locale: Locale): Set<Match> {
  const ordered = HEAD_IS_LAST[locale] ? main.toReversed() : main;
  const head = ordered[0];
  if (!head) return new Set();
  const specific = ordered.slice(1).find((match) => isMoreSpecific(match, head));
  if (specific) return new Set([specific]);
  const heads = [head];
  for (const match of ordered.slice(1)) {
    const neighbour = heads.at(-1) ?? head;
    const [a, b] = match.first < neighbour.first ? [match, neighbour] : [neighbour, match];
    if (!areCoordinated(tokens, a, b, locale)) break;
    heads.push(match);
  }
  // "Pyjamas, top and shorts": the pieces follow the name of the set.
  const set = heads.length > 1 && main.find(({ entry }) => namesOfSets().includes(entry.id));
  return new Set(set ? [set] : heads);
}

type Titled = Pick<Field, 'tokens' | 'clauseMatches' | 'locale' | 'isWear'>;

/** Of two nouns that are written apart, the first is the head. */
const writesCompounds = (locale: Locale): boolean => locale === 'de' || locale === 'nl';
const isWorn = ({ entry: { kind } }: Match): boolean => kind === 'garment' || kind === 'group';
const isThing = ({ entry }: Match, id: string): boolean =>
  entry.kind === 'notGarment' && entry.id === id;
/** Whether a match names a thing of a list of data/taxonomy/rules.tsv. */
const isThingOf = ({ entry }: Match, list: string): boolean =>
  entry.kind === 'notGarment' && isListed('things', list, entry.id);

/** Returns the thing that a segment is about, whatever garment it names too. */
function dominantThing(main: readonly Match[], locale: Locale): Match | undefined {
  const garment = main.findIndex(isWorn);
  const isDominant = (match: Match): boolean =>
    isThingOf(match, 'dominant') || (writesCompounds(locale) && isThingOf(match, 'first'));
  // "Jeansstoff Hose" is made of it; "Bügelspray Hemden" is none.
  const isNamed = (match: Match): boolean =>
    match.by !== 'inflection' && (match.by === 'word' || !isThing(match, 'fabric'));
  return main.find(
    (match, at) => isNamed(match) && isDominant(match) && (garment < 0 || at < garment),
  );
}

/** Returns the nouns that may be the head: beside a garment, its parts and what is printed on it are not. */
function possibleHeads(
  nouns: readonly Match[],
  { locale, isWear }: Titled,
  stuffs: readonly Match[],
): readonly Match[] {
  // "Blanket fleece", "hoodie knit": a stuff is what the other noun is made of.
  const isStuff = ({ first, last }: Match): boolean =>
    [first, last].every((at) => stuffs.some((stuff) => stuff.first <= at && at <= stuff.last));
  const others = nouns.filter((match) => !isStuff(match));
  const mayBeHead = (match: Match): boolean => isWorn(match) || !(isWear || isThing(match, 'part'));
  const main = others.some(mayBeHead) ? others : nouns;
  const garment = main.findIndex(isWorn);
  if (garment < 0) return main;
  const follows = ({ first }: Match): boolean =>
    main.some((other) => isWorn(other) && other.last + 1 === first);
  const isAside = (match: Match, at: number): boolean =>
    isThing(match, 'part') ||
    isThing(match, 'department') ||
    (at > garment &&
      (writesCompounds(locale)
        ? isThingOf(match, 'motif') || (match.by !== 'word' && isThing(match, 'fabric'))
        : // "Kilt men's wool Black Watch"
          isWear && !isWorn(match) && !isThingOf(match, 'dominant') && !follows(match)));
  return main.filter((match, at) => !isAside(match, at));
}

function weighSegment(
  field: Titled,
  segment: readonly ClauseMatch[],
  stuffs: readonly Match[],
): ArticleMention[] {
  const { tokens, locale } = field;
  const named = segment.filter(({ role }) => role === undefined).map(({ match }) => match);
  const dominant = dominantThing(named, locale);
  const main = dominant ? [dominant] : possibleHeads(named, field, stuffs);
  const heads = findHeads(tokens, main, locale);
  const headWeight = heads.size > 1 ? COORDINATED_WEIGHT : 1;
  return segment.map(({ match, role }) => {
    const otherWeight = role ? ROLE_WEIGHTS[role] : MODIFIER_WEIGHT;
    const weight = heads.has(match) ? headWeight : otherWeight;
    return { match, weight, role };
  });
}

/** A path goes from general to specific: its last segment with a noun counts. */
export type TextKind = 'title' | 'path' | 'description';

/** Weighs every noun of a text as a name of the article. */
export function weighMentions(field: Titled, kind: TextKind): ArticleMention[] {
  const { clauseMatches } = field;
  const segments = groupBySegment(clauseMatches);
  // Not that of a compound: "Lederjacke" is a jacket, though it names leather.
  const isStuff = ({ match: { entry, by } }: ClauseMatch): boolean =>
    entry.kind === 'material' && (by === 'word' || by === 'inflection');
  const stuffs = clauseMatches.filter(isStuff).map(({ match }) => match);
  const nouns = kind === 'title' ? segments.flat() : [];
  const sold = nouns.find(({ match, role }) => role !== 'with' && isThingOf(match, 'always'));
  // "Pattern PDF" is a pattern.
  const named = sold && (nouns.find(({ match }) => isThingOf(match, 'dominant')) ?? sold);
  if (named) segments.unshift([{ ...named, role: undefined }]);
  const ordered = kind === 'path' ? segments.toReversed() : segments;
  let headFound = false;
  return ordered.flatMap((segment) => {
    const factor = headFound ? LATER_SEGMENT_FACTOR : 1;
    const mentions = weighSegment(field, segment, stuffs);
    headFound ||= mentions.some(({ weight }) => weight >= COORDINATED_WEIGHT);
    for (const mention of mentions) mention.weight *= factor;
    return mentions;
  });
}
