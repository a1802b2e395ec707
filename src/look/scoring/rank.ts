import { round } from '../numeric.ts';
import type { Ranked } from '../responses.ts';
import { type Ensemble, itemsOf } from '../wardrobe/ensemble.ts';
import { seededHash } from '../wardrobe/wardrobe.ts';
import type { ScoreRequest } from '../wardrobe/wardrobe-request.ts';
import type { ScoringContext, WornItem } from './context.ts';
import { brokenRules, explain, thermalResponse, warningsOf } from './explain.ts';
import { scoreTerms, shownScore, type Terms, totalScore } from './score.ts';
import type { ShellFinder } from './shell.ts';

/** An outfit to rank. */
export interface Entry {
  id: string;
  itemIds: readonly string[];
  ensemble: Ensemble<WornItem>;
}

interface ScoredEntry extends Entry {
  terms: Terms;
  /** Points, at most 100, rounded to 7 decimals. */
  score: number;
  /** Mean recency of its items: 1 worn today, 0 not recently. */
  recency: number;
  /** Whether it breaks a hard rule of common sense. */
  breaksHardRule: boolean;
}

/** Recency of an ensemble, from outfits worn before: 1 today, falling to 0 after `variety.days`. */
function createRecency(context: ScoringContext, recent: ScoreRequest['recent']) {
  const { days } = context.model.k.variety;
  const recencyAfter = (daysAgo: number) => Math.max(0, 1 - daysAgo / days);
  const byItem = new Map<string, number>();
  for (const { itemIds, daysAgo } of recent ?? []) {
    for (const id of itemIds) byItem.set(id, Math.max(byItem.get(id) ?? 0, recencyAfter(daysAgo)));
  }
  return (ensemble: Ensemble<WornItem>): number => {
    const items = itemsOf(ensemble).map(({ garment }) =>
      Math.max(
        byItem.get(garment.id) ?? 0,
        garment.wornDaysAgo === undefined ? 0 : recencyAfter(garment.wornDaysAgo),
      ),
    );
    return items.reduce((sum, value) => sum + value, 0) / Math.max(1, items.length);
  };
}

/** Days since a garment was worn, for one that never was. */
const NEVER_WORN_DAYS = 100_000;

/**
 * Order of outfits with equal scores: those with more favourites, then those not worn for longest, then
 * by seed if there is one, then by id.
 */
function byPreference(seed: number | undefined) {
  const garmentsOf = ({ ensemble }: Entry) => itemsOf(ensemble).map(({ garment }) => garment);
  const favorites = (entry: Entry) =>
    garmentsOf(entry).filter(({ isFavorite }) => isFavorite).length;
  const meanUnworn = (entry: Entry) => {
    const days = garmentsOf(entry).map(({ wornDaysAgo }) => wornDaysAgo ?? NEVER_WORN_DAYS);
    return days.reduce((sum, value) => sum + value, 0) / days.length;
  };
  const seeded = ({ id }: Entry) => (seed === undefined ? 0 : seededHash(id, seed));
  return (a: Entry, b: Entry): number =>
    favorites(b) - favorites(a) ||
    meanUnworn(b) - meanUnworn(a) ||
    seeded(a) - seeded(b) ||
    (a.id < b.id ? -1 : 1);
}

/** More points than any outfit has: what breaks a hard rule of common sense comes after all others. */
const LAST = 1000;

/** Share of the score that fits of warmth below 0 cost. */
const belowZero = ({ model }: ScoringContext, { thermal, regions }: Terms): number =>
  model.tables.weights.thermal * Math.max(0, -thermal) +
  model.tables.weights.regions * Math.max(0, -regions);

/** Items in both outfits over items in either. */
function jaccardSimilarity(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((id) => b.includes(id)).length;
  return shared / (a.length + b.length - shared);
}

interface RankedEntry extends ScoredEntry {
  variety: number;
}

/**
 * Orders outfits by maximal marginal relevance: the next one has the best score minus a penalty for
 * what it shares with those before it or with what was worn recently.
 */
function orderByMarginalRelevance(
  context: ScoringContext,
  entries: readonly ScoredEntry[],
  seed: number | undefined,
): RankedEntry[] {
  const { weight } = context.model.k.variety;
  const preference = byPreference(seed);
  const remaining = entries
    .map((entry) => ({ entry, similarity: entry.recency }))
    .sort((a, b) => b.entry.score - a.entry.score || preference(a.entry, b.entry));
  const ranked: RankedEntry[] = [];
  while (remaining.length > 0) {
    let best = 0;
    const relevance = ({ entry, similarity }: (typeof remaining)[number]) =>
      entry.score - weight * similarity - (entry.breaksHardRule ? LAST : 0);
    for (let at = 1; at < remaining.length; at++) {
      if (relevance(remaining[at]!) > relevance(remaining[best]!)) best = at;
    }
    const [next] = remaining.splice(best, 1);
    if (!next) break;
    ranked.push({ ...next.entry, variety: 1 - next.similarity });
    for (const other of remaining) {
      const similarity = jaccardSimilarity(next.entry.itemIds, other.entry.itemIds);
      other.similarity = Math.max(other.similarity, similarity);
    }
  }
  return ranked;
}

interface RankOptions extends Pick<ScoreRequest, 'recent' | 'locale'> {
  /** Outfits to return; all by default. */
  limit?: number;
  /** Of the order of outfits with equal scores. */
  seed?: number | undefined;
}

/** Scores outfits and ranks them. */
export function rank(
  context: ScoringContext,
  entries: readonly Entry[],
  shells: ShellFinder | undefined,
  { recent, locale = 'en', limit = entries.length, seed }: RankOptions,
): Ranked[] {
  const recencyOf = createRecency(context, recent);
  const scored = entries.map((entry): ScoredEntry => {
    const terms = scoreTerms(context, entry.ensemble);
    const score = round(100 * totalScore(context, terms), 7);
    const breaksHardRule =
      terms.sense > 0 && brokenRules(context, entry.ensemble).some(({ rule }) => rule.isHard);
    return { ...entry, terms, score, breaksHardRule, recency: recencyOf(entry.ensemble) };
  });
  return orderByMarginalRelevance(context, scored, seed)
    .slice(0, limit)
    .map(({ id, itemIds, ensemble, terms, score, variety }, at) => {
      const thermal = thermalResponse(context, ensemble);
      return {
        candidateId: id,
        rank: at + 1,
        itemIds: [...itemIds],
        score: round(100 * shownScore(context.model, score / 100), 1),
        breakdown: {
          thermal: round(Math.max(0, terms.thermal), 3),
          regions: round(Math.max(0, terms.regions), 3),
          protection: round(terms.protection, 3),
          occasion: round(terms.occasion, 3),
          color: round(terms.color, 3),
          season: round(terms.season, 3),
          variety: round(variety, 3),
          penalty: round(terms.sense + belowZero(context, terms), 3),
        },
        thermal,
        warnings: warningsOf(context, thermal),
        explanation: explain(context, ensemble, terms, thermal, variety, locale),
        shell: shells ? shells(ensemble) : null,
      };
    });
}
