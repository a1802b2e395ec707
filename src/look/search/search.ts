import type { Judgement, Piece } from '../scoring/context.ts';
import { termsOf, weigh } from '../scoring/score.ts';
import type { Worn } from '../wardrobe/ensemble.ts';
import type { Accessory, Under } from '../wardrobe/extras.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group, Wardrobe } from '../wardrobe/wardrobe.ts';
import { type Bounds, createBounds } from './bounds.ts';
import { fitTables, type Prepared, prepare } from './plan.ts';
import {
  type Ahead,
  copyState,
  type HarmonyTable,
  harmonyTable,
  isAllowed,
  type Roof,
  START,
  type State,
} from './state.ts';
import { createTopList, type TopList } from './top-list.ts';

/** An outfit found, with its score 0-1. */
export interface Found {
  readonly score: number;
  readonly form: Template['form'];
  readonly core: { readonly [S in CoreSlot]?: Group };
  readonly worn: Worn<Piece>;
}

export interface Search {
  /** Best first. */
  readonly found: readonly Found[];
  /** By how much an outfit not looked at could beat the last one found, 0-1; 0: there is none. */
  readonly gap: number;
  readonly isExhausted: boolean;
}

/** Scores are told in billionths: what is bounded by less than one more cannot beat another. */
const LESS_THAN_ONE = 0.4e-9;

/** Scores are compared and told in billionths, so that the order of additions never shows. */
export const exactScore = (judgement: Judgement, worn: Worn<Piece>): number =>
  Math.round(weigh(judgement, termsOf(judgement, worn)) * 1e9) / 1e9;

/** What all templates of one search share. */
interface Shared {
  judgement: Judgement;
  harmony: HarmonyTable;
  top: TopList<Found>;
  /** Outfits that count as one, the best of them, have one key. */
  keyOf(core: Found['core']): string;
  nodesLeft: number;
  /** The best bound among what was left unseen. */
  unseen: number;
}

interface Child {
  group: Group | undefined;
  state: State;
  bound: number;
}

/**
 * Branch and bound over one template: depth first, best bound first.
 * @param width how many choices are followed at each level but the last; with 1 it is a first dive,
 * and what that finds spares the whole search most of its way
 * @returns the best score met with
 */
function explore(
  shared: Shared,
  prepared: Prepared,
  bounds: Bounds,
  width = Number.POSITIVE_INFINITY,
): number {
  const { judgement, top } = shared;
  const { template, levels, unders, accessories, extra, isOnePiece, perRegion, fits } = prepared;
  const { weights } = judgement.model.tables;
  const isOut = judgement.plan === 'outdoor';
  const { scratch, pulls, perOccasion, step, roofOf, bound, gainsAfter, mostAhead } = bounds;
  let bestMet = 0;

  /** Completes an outfit with the small things that suit it best, and offers it. */
  function settle(state: State, chosen: readonly (Group | undefined)[]): void {
    const core: { [S in CoreSlot]?: Group } = {};
    const pieces: { [S in CoreSlot]?: Piece } = {};
    for (let at = 0; at < levels.length; at++) {
      const group = chosen[at];
      if (!group) continue;
      core[levels[at]!.slot] = group;
      pieces[levels[at]!.slot] = group.piece;
    }
    const key = shared.keyOf(core);
    const extras = bestExtras(state, top.needs(key) + LESS_THAN_ONE);
    if (!extras) return;
    const worn = { ...pieces, ...extras };
    const score = exactScore(judgement, worn);
    bestMet = Math.max(bestMet, score);
    top.offer(key, score, tieOf(core), () => ({ score, form: template.form, core, worn }));
  }

  /** The small things with which an outfit scores best; none where it stays below `needed`. */
  function bestExtras(state: State, needed: number): Worn<Piece> | undefined {
    const curve = state.curve!;
    const base =
      weights.protection * (1 - Math.max(state.water, state.wind)) +
      perOccasion(state) * state.occasionSum +
      state.settled +
      (isOut ? perRegion * fits.outer.at(state.outer) : 0);
    const perAccessory = isOut ? perRegion : 0;
    const { low, high } = extra.accessory;
    const accessoryRoof = perAccessory * fits.accessory.bound(low, high);
    let best = needed;
    let bestUnder: Under | undefined;
    let bestAccessory: Accessory | undefined;
    for (const under of unders) {
      const milli = state.milli + under.total;
      const body = isOnePiece
        ? 2 * fits.dress.at(state.top + under.top + state.legs + under.bottom)
        : fits.top.at(state.top + under.top) + fits.bottom.at(state.legs + under.bottom);
      const settled = base + perRegion * (body + fits.shoes.at(state.shoes + under.shoes));
      const roof = weights.thermal * curve.bound(milli + low, milli + high) + accessoryRoof;
      if (settled + roof < best) continue;
      for (const accessory of accessories) {
        const value =
          settled +
          perAccessory * fits.accessory.at(accessory.milli) +
          weights.thermal * curve.at(milli + accessory.milli);
        if (value < best || (value === best && bestUnder)) continue;
        best = value;
        bestUnder = under;
        bestAccessory = accessory;
      }
    }
    return bestUnder && bestAccessory && { ...bestUnder.worn, ...bestAccessory.worn };
  }

  function descend(
    state: State,
    depth: number,
    gains: readonly Float64Array[],
    chosen: readonly (Group | undefined)[],
    roof: Roof,
    best: Ahead,
  ): void {
    const level = levels[depth]!;
    const isLast = depth === levels.length - 1;
    const ahead = mostAhead(gains, depth, state);
    const floor = top.threshold() + LESS_THAN_ONE;
    const children: Child[] = [];
    const row = gains[depth]!;
    const pull = pulls[depth]!;
    const perFit = perOccasion(state);
    for (let at = 0; at < level.groups.length; at++) {
      const gives = row[at]! + level.ownBound[at]! + perFit * level.occasion[at]!;
      if (roof.reach - best.gain + gives < floor) continue;
      if (roof.line - best.pulled + gives + pull[at]! < floor) continue;
      const group = level.groups[at];
      shared.nodesLeft -= 1;
      if (!isAllowed(judgement, levels, depth, chosen, group)) continue;
      step(state, depth, at, row[at]!);
      const most = bound(scratch, depth, ahead);
      if (most >= floor)
        children.push({ group, state: copyState(scratch, { ...START }), bound: most });
    }
    children.sort((a, b) => b.bound - a.bound);
    for (const child of isLast ? children : children.slice(0, width)) {
      if (child.bound < top.threshold() + LESS_THAN_ONE) return;
      if (shared.nodesLeft <= 0) {
        shared.unseen = Math.max(shared.unseen, child.bound);
        return;
      }
      const path = [...chosen, child.group];
      if (isLast) {
        settle(child.state, path);
        continue;
      }
      const { next, bests, ahead: exactly } = gainsAfter(gains, depth, child.group, child.state);
      const below = roofOf(child.state, depth, exactly);
      if (Math.min(below.reach, below.line) < top.threshold() + LESS_THAN_ONE) continue;
      descend(child.state, depth + 1, next, path, below, bests[depth + 1]!);
    }
  }

  descend(
    bounds.start,
    0,
    bounds.ownGains,
    [],
    { reach: Number.POSITIVE_INFINITY, line: Number.POSITIVE_INFINITY },
    { gain: 0, pulled: 0 },
  );
  return bestMet;
}

const tieOf = (core: Found['core']): string =>
  Object.values(core)
    .map(({ piece }) => piece.garment.id)
    .sort()
    .join(' ');

/**
 * The best outfits of all templates, proved best unless the budget of nodes is spent.
 * @param size how many, at most
 * @param keyOf outfits with one key count as one, by the best of them
 */
export function search(
  judgement: Judgement,
  wardrobe: Wardrobe,
  templates: readonly Template[],
  size: number,
  keyOf: Shared['keyOf'],
): Search {
  const shared: Shared = {
    judgement,
    harmony: harmonyTable(judgement, wardrobe.groups.length),
    top: createTopList<Found>(size),
    keyOf,
    nodesLeft: judgement.model.k.search.nodes,
    unseen: Number.NEGATIVE_INFINITY,
  };
  const fits = fitTables(judgement);
  const dived = templates.map((template) => {
    const prepared = prepare(judgement, template, fits);
    const bounds = createBounds(judgement, prepared, shared.harmony);
    return { prepared, bounds, best: explore(shared, prepared, bounds, 1) };
  });
  for (const { prepared, bounds } of dived.sort((a, b) => b.best - a.best))
    explore(shared, prepared, bounds);
  const found = shared.top.list().map(({ item }) => item);
  const last = found.at(-1)?.score ?? 0;
  return {
    found,
    gap: found.length < size && shared.nodesLeft > 0 ? 0 : Math.max(0, shared.unseen - last),
    isExhausted: shared.nodesLeft <= 0,
  };
}
