import { z } from 'zod';
import { CATEGORY_IDS, categories } from './dictionary/schema.ts';
import { type Learned, NOT_A_GARMENT } from './learned-schema.ts';
import { average, type Belief } from './odds.ts';
import type { TextEvidence } from './text/classify-text.ts';

/** A category, as people name it. */
export const ChosenCategory = z
  .string()
  .max(64)
  .refine((id) => id === NOT_A_GARMENT || categories.has(id), {
    error: 'must be the id of a category, as GET /taxonomy/v1/options lists them, or `none`',
  })
  .meta({ description: 'Id of a category, or `none` for what is no garment' });

/** From so many decisions on, of which such a share agrees, a path decides against the words of a title. */
const STRONG = { decisions: 3, agreement: 0.9 } as const;
/** Belief in a strong path, in what somebody decided about the row, and what counts as clearly said. */
const BELIEF = { strong: 0.95, own: 0.989, clear: 0.8 } as const;
/** Factor on the odds of a category for each of the first decisions that agree. */
const WEAK_FACTOR = 3;

export const isStrong = ({ decisions, agreement }: Pick<Learned, 'decisions' | 'agreement'>) =>
  decisions >= STRONG.decisions && agreement >= STRONG.agreement;

/** Gives one category, or "no garment", a belief; the others share the rest as before. */
function believing({ categories: odds, notGarment }: Belief, at: number, belief: number): Belief {
  const known = at < 0 ? notGarment : (odds[at] ?? 0);
  const rest = (1 - belief) / Math.max(1 - known, Number.EPSILON);
  return {
    categories: odds.map((each, i) => (i === at ? belief : each * rest)),
    notGarment: at < 0 ? belief : notGarment * rest,
  };
}

const regionOf = (id: string): string => categories.get(id)?.region ?? NOT_A_GARMENT;

/** Whether the text clearly says that the article is worn elsewhere, or is a garment or none. */
function saysAnother({ categories: odds, notGarment }: Belief, category: string): boolean {
  const sums = new Map([[NOT_A_GARMENT, notGarment]]);
  for (const [i, odd] of odds.entries()) {
    const region = regionOf(CATEGORY_IDS[i] ?? '');
    sums.set(region, (sums.get(region) ?? 0) + odd);
  }
  sums.delete(regionOf(category));
  return Math.max(...sums.values()) >= BELIEF.clear;
}

/** Adds what people have decided to the evidence of a row. */
export function withLearned(text: TextEvidence, learned: Learned | undefined): TextEvidence {
  if (!learned) return text;
  const { path, category, decisions, agreement } = learned;
  const at = (CATEGORY_IDS as readonly string[]).indexOf(category);
  if (at < 0 && category !== NOT_A_GARMENT) return text;
  const known = at < 0 ? text.notGarment : (text.categories[at] ?? 0);
  const evidence = { ...text, hasEvidence: text.hasEvidence || at >= 0 };
  if (path === null) return { ...evidence, pieces: [], ...believing(text, at, BELIEF.own) };
  if (!isStrong(learned)) {
    const odds = WEAK_FACTOR ** Math.min(decisions * agreement, STRONG.decisions - 1) * known;
    return { ...evidence, ...believing(text, at, odds / (odds + 1 - known)) };
  }
  const sure = believing(text, at, Math.max(BELIEF.strong, known));
  if (!saysAnother(text, category)) return { ...evidence, ...sure };
  return {
    ...evidence,
    ...average(text, sure),
    contradictions: [...new Set([...text.contradictions, 'product_type' as const])],
    isContradicted: true,
  };
}
