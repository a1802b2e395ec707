import { createHash } from 'node:crypto';
import { situationOf } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import { type Judgement, judgementOf, type Piece, type Plan } from '../scoring/context.ts';
import {
  type Form,
  formOf,
  mapWorn,
  mostMilli,
  type Slot,
  slotsOf,
  type Worn,
  wornItems,
} from '../wardrobe/ensemble.ts';
import { sortOut } from '../wardrobe/exclusions.ts';
import { type Garment, garmentOf } from '../wardrobe/garment-clo.ts';
import { type CoreSlot, countOf, type Template, templatesOf } from '../wardrobe/templates.ts';
import { type Diagnostic, type Wardrobe, wardrobeOf } from '../wardrobe/wardrobe.ts';
import type { CandidatesRequest } from '../wardrobe/wardrobe-request.ts';
import { type Found, search } from './search.ts';

/** An outfit offered, and what it is made of. */
export interface Candidate {
  id: string;
  itemIds: string[];
  form: Form;
  slots: { [S in Slot]?: string };
}

/** What was found in a wardrobe. */
export interface Offer {
  judgement: Judgement;
  candidates: { candidate: Candidate; worn: Worn<Piece> }[];
  totalValid: bigint;
  truncated: boolean;
  /** Points by which an outfit not looked at could beat the last candidate; 0: proved best. */
  gap: number;
  diagnostics: Diagnostic[];
}

/** Name of an outfit: the same for the same items in every call. */
export const candidateId = (itemIds: readonly string[]): string =>
  `c_${createHash('sha256')
    .update(JSON.stringify([...itemIds].sort()))
    .digest('hex')
    .slice(0, 16)}`;

const MISSING: readonly [string, readonly CoreSlot[]][] = [
  ['top', ['main']],
  ['bottom', ['bottom']],
  ['shoes', ['shoes']],
];

/** What a wardrobe lacks for an outfit. */
function whatLacks(
  request: CandidatesRequest,
  { slots }: Wardrobe,
  templates: readonly Template[],
) {
  if (request.items.length === 0)
    return [{ code: 'empty-wardrobe', detail: 'Send items to choose from' }];
  const lacking = MISSING.filter(([slot, cores]) =>
    slot === 'shoes' || templates.length === 0
      ? cores.every((core) => slots[core].length === 0)
      : false,
  ).map(
    ([slot]): Diagnostic => ({ code: 'missing-slot', slot, detail: `Nothing for ${slot} is left` }),
  );
  if (templates.length > 0 || lacking.some(({ slot }) => slot !== 'shoes')) return lacking;
  return [...lacking, { code: 'no-combination', detail: 'What must be worn does not go together' }];
}

/** Outfits that count as one: the same on torso and legs, whatever coat and shoes go with it. */
const visibleKey = ({ mid, main, bottom }: Found['core']): string =>
  `${mid?.index}/${main?.index}/${bottom?.index}`;

const wholeKey = (core: Found['core']): string =>
  `${visibleKey(core)}/${core.outer?.index}/${core.over?.index}/${core.shoes?.index}`;

/**
 * The best outfit for each look of torso and legs; where these are fewer than asked for, the best of
 * the rest; where those are, the same with equal garments in turn.
 */
function gather(
  judgement: Judgement,
  wardrobe: Wardrobe,
  templates: readonly Template[],
  limit: number,
) {
  const looks = search(judgement, wardrobe, templates, limit, visibleKey);
  if (looks.found.length >= limit) return looks;
  const all = search(judgement, wardrobe, templates, limit, wholeKey);
  const known = new Set(looks.found.map(({ core }) => wholeKey(core)));
  const more = all.found.filter(({ core }) => !known.has(wholeKey(core)));
  const found = [...looks.found, ...more].slice(0, limit).sort((a, b) => b.score - a.score);
  return {
    found,
    gap: Math.max(looks.gap, all.gap),
    isExhausted: looks.isExhausted || all.isExhausted,
  };
}

/** The outfit with the garments whose turn it is: the first of each group, then the second, … */
const inTurn = (wardrobe: Wardrobe, worn: Worn<Piece>, turn: number): Worn<Garment> =>
  mapWorn(worn, ({ garment }) => {
    const { members } = wardrobe.groupOf.get(garment) ?? { members: [garment] };
    return members[turn % members.length] ?? garment;
  });

/** What the day makes of every garment worn. */
export const piecesOf = (judgement: Judgement, worn: Worn<Garment>): Worn<Piece> =>
  mapWorn(worn, judgement.pieceOf);

/** An outfit as answers carry it. */
export function candidateOf(worn: Worn<Piece>): Candidate {
  const slots = mapWorn(worn, ({ garment }) => garment.id);
  const itemIds = wornItems(slots);
  const form = formOf(worn);
  return { id: candidateId(itemIds), itemIds, form, slots };
}

/** Turns groups into garments, taking turns among equals while there is room. */
function dressUp(judgement: Judgement, wardrobe: Wardrobe, found: readonly Found[], limit: number) {
  const offered = new Map<string, Offer['candidates'][number]>();
  const most = Math.max(1, ...wardrobe.groups.map(({ members }) => members.length));
  for (let turn = 0; turn < most && offered.size < limit; turn++) {
    for (const one of found) {
      if (offered.size >= limit) break;
      const worn = piecesOf(judgement, inTurn(wardrobe, one.worn, turn));
      const candidate = candidateOf(worn);
      if (!offered.has(candidate.id)) offered.set(candidate.id, { candidate, worn });
    }
  }
  return [...offered.values()];
}

/** The garments of a request, in the order of its items. */
export const garmentsOf = (model: Model, { items }: Pick<CandidatesRequest, 'items'>): Garment[] =>
  items.map((item) => garmentOf(model, item));

/**
 * The best outfits of a wardrobe for a day, an occasion and a plan.
 * @param all the garments of the request, where they are read already
 */
export function offerOf(
  model: Model,
  request: CandidatesRequest,
  limit: number,
  all = garmentsOf(model, request),
): Offer {
  const situation = situationOf(model, request);
  const plan: Plan = request.plan ?? 'indoor';
  const judgement = judgementOf(model, situation, plan, mostMilli(model, all));
  const { garments, diagnostics } = sortOut(judgement, request, all);
  const must = new Set(request.must);
  const wardrobe = wardrobeOf(judgement, garments, must, request.seed);
  const fixed = wardrobe.groups.filter(
    ({ piece: { garment } }) => must.has(garment.id) && slotsOf(model, garment).length > 0,
  );
  const templates = templatesOf(judgement, wardrobe, fixed);
  const { found, gap, isExhausted } = gather(judgement, wardrobe, templates, limit);
  return {
    judgement,
    candidates: dressUp(judgement, wardrobe, found, limit),
    totalValid: templates.reduce((sum, template) => sum + countOf(judgement, template), 0n),
    truncated: isExhausted,
    gap,
    diagnostics: [...diagnostics, ...whatLacks(request, wardrobe, templates)],
  };
}
