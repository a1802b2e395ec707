import { round } from '../numeric.ts';
import type { Ranked } from '../responses.ts';
import type { ShellFinder } from '../search/shell.ts';
import { type Worn, wornItems } from '../wardrobe/ensemble.ts';
import type { ScoreRequest } from '../wardrobe/wardrobe-request.ts';
import type { Judgement, Piece } from './context.ts';
import { explain, thermalAnswer, warningsOf } from './explain.ts';
import { type Terms, termsOf, weigh } from './score.ts';

/** An outfit to rank. */
export interface Entry {
  id: string;
  itemIds: readonly string[];
  worn: Worn<Piece>;
}

interface Weighed extends Entry {
  terms: Terms;
  /** Points, 0-100, in ten-millionths. */
  score: number;
  /** How fresh it is in people's minds, 0 (never worn lately) to 1. */
  recent: number;
}

/** How lately each item was worn: 1 today, 0 after `variety.days`. */
function recencyOf(judgement: Judgement, recent: ScoreRequest['recent']) {
  const { days } = judgement.model.k.variety;
  const fresh = (daysAgo: number) => Math.max(0, 1 - daysAgo / days);
  const byItem = new Map<string, number>();
  for (const { itemIds, daysAgo } of recent ?? []) {
    for (const id of itemIds) byItem.set(id, Math.max(byItem.get(id) ?? 0, fresh(daysAgo)));
  }
  return (worn: Worn<Piece>): number => {
    const items = wornItems(worn).map(({ garment }) =>
      Math.max(
        byItem.get(garment.id) ?? 0,
        garment.wornDaysAgo === undefined ? 0 : fresh(garment.wornDaysAgo),
      ),
    );
    return items.reduce((sum, value) => sum + value, 0) / Math.max(1, items.length);
  };
}

/** Items two outfits share, of all items in either. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((id) => b.includes(id)).length;
  return shared / (a.length + b.length - shared);
}

interface Chosen extends Weighed {
  variety: number;
}

/**
 * Puts outfits in order: each next one is the best by score less what it repeats of those before it
 * or of what was worn lately (maximal marginal relevance).
 */
function inOrder(judgement: Judgement, entries: readonly Weighed[]): Chosen[] {
  const { weight } = judgement.model.k.variety;
  const left = entries
    .map((entry) => ({ entry, repeats: entry.recent }))
    .sort((a, b) => b.entry.score - a.entry.score || (a.entry.id < b.entry.id ? -1 : 1));
  const chosen: Chosen[] = [];
  while (left.length > 0) {
    let best = 0;
    const worth = ({ entry, repeats }: (typeof left)[number]) => entry.score - weight * repeats;
    for (let at = 1; at < left.length; at++) {
      if (worth(left[at]!) > worth(left[best]!)) best = at;
    }
    const [next] = left.splice(best, 1);
    if (!next) break;
    chosen.push({ ...next.entry, variety: 1 - next.repeats });
    for (const other of left) {
      other.repeats = Math.max(other.repeats, likeness(next.entry.itemIds, other.entry.itemIds));
    }
  }
  return chosen;
}

/** Judges outfits and puts them in order; only the first `most` are told of in full. */
export function rank(
  judgement: Judgement,
  entries: readonly Entry[],
  recent: ScoreRequest['recent'],
  shells: ShellFinder | undefined,
  most = entries.length,
): Ranked[] {
  const recency = recencyOf(judgement, recent);
  const weighed = entries.map((entry): Weighed => {
    const terms = termsOf(judgement, entry.worn);
    const score = round(100 * weigh(judgement, terms), 7);
    return { ...entry, terms, score, recent: recency(entry.worn) };
  });
  return inOrder(judgement, weighed)
    .slice(0, most)
    .map(({ id, itemIds, worn, terms, score, variety }, at) => {
      const thermal = thermalAnswer(judgement, worn);
      return {
        candidateId: id,
        rank: at + 1,
        itemIds: [...itemIds],
        score: round(score, 1),
        breakdown: {
          thermal: round(terms.thermal, 3),
          regions: round(terms.regions, 3),
          protection: round(terms.protection, 3),
          occasion: round(terms.occasion, 3),
          color: round(terms.color, 3),
          season: round(terms.season, 3),
          variety: round(variety, 3),
        },
        thermal,
        warnings: warningsOf(judgement, thermal),
        explanation: explain(judgement, worn, terms, thermal, variety),
        shell: shells ? shells(worn) : null,
      };
    });
}
