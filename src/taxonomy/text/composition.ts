import type { Match } from './scan.ts';
import type { Token } from './tokens.ts';

/** A material and its share of the article, 0–1; no share if none is given. */
export interface MaterialShare {
  id: string;
  share?: number;
}

const MAX_MATERIALS = 6;
/** From this sum on a fabric is complete; what follows is its lining or filling. */
const COMPLETE_PCT = 99;

interface Percent {
  at: number;
  pct: number;
}

function findPercents(tokens: readonly Token[]): Percent[] {
  return tokens.flatMap(({ text }, at) => {
    if (tokens[at + 1]?.text !== '%') return [];
    const pct = Number(text);
    return pct > 0 && pct <= 100 ? [{ at, pct }] : [];
  });
}

const mergeShares = (shares: readonly MaterialShare[]): MaterialShare[] => {
  const byId = new Map<string, MaterialShare>();
  for (const { id, share } of shares) {
    const sum = (byId.get(id)?.share ?? 0) + (share ?? 0);
    byId.set(
      id,
      share === undefined ? { id } : { id, share: Math.min(1, Math.round(sum * 100) / 100) },
    );
  }
  return [...byId.values()].slice(0, MAX_MATERIALS);
};

/** Pairs each share with the material beside it: "80% wool" or "wool 80%". */
function withShares(pcts: readonly Percent[], materials: readonly Match[]): MaterialShare[] {
  const isPercentFirst = (pcts[0]?.at ?? 0) < (materials[0]?.first ?? 0);
  const shares: MaterialShare[] = [];
  let sum = 0;
  for (const [i, { at, pct }] of pcts.entries()) {
    if (sum >= COMPLETE_PCT) break;
    const [from, to] = isPercentFirst
      ? [at, pcts[i + 1]?.at ?? Number.POSITIVE_INFINITY]
      : [pcts[i - 1]?.at ?? -1, at];
    const between = materials.filter(({ first }) => first > from && first < to);
    const material = isPercentFirst ? between[0] : between.at(-1);
    if (material) shares.push({ id: material.entry.id, share: pct / 100 });
    sum += pct;
  }
  return shares;
}

/**
 * Reads a composition such as "80% Wolle, 20% Polyamid; Futter: 100% Viskose". Only the first complete fabric
 * counts; without shares, every material does.
 */
export function readComposition(
  tokens: readonly Token[],
  matches: readonly Match[],
): MaterialShare[] {
  const materials = matches.filter(({ entry }) => entry.kind === 'material');
  const pcts = findPercents(tokens);
  if (materials.length === 0) return [];
  if (pcts.length === 0) return mergeShares(materials.map(({ entry }) => ({ id: entry.id })));
  return mergeShares(withShares(pcts, materials));
}

/** Returns the material with the largest share, or the first if there are no shares. */
export const mainMaterial = (materials: readonly MaterialShare[]): string | undefined =>
  materials.reduce<MaterialShare | undefined>(
    (main, next) => (main && (main.share ?? 0) >= (next.share ?? 0) ? main : next),
    undefined,
  )?.id;
