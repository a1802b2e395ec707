import { readTable } from '../taxonomy/tables.ts';

/** A set of garments; every field that is given must hold. */
export interface GarmentSet {
  readonly categories: readonly string[] | undefined;
  readonly materials: readonly string[] | undefined;
  /** Of none of these; in the file, materials after a `!`. */
  readonly unlessOf: readonly string[] | undefined;
  /** Of a colour that shows every splash. */
  readonly isPale: true | undefined;
}

/** One rule of common sense: what a sensible person does not wear. */
export interface SenseRule {
  readonly id: string;
  /** Points that it costs to break the rule; without, it only leaves garments out. */
  readonly points: number | undefined;
  /** Hard rules are broken only if there is no other outfit. */
  readonly isHard: true | undefined;
  readonly garment: GarmentSet;
  /** Broken only together with one of these. */
  readonly with: GarmentSet | undefined;
  /** Holds only if the wardrobe has one of these. */
  readonly ifOwned: readonly string[] | undefined;
  /** Does not hold if the wardrobe has one of these: a dress with tights is no dress with bare legs. */
  readonly unlessOwned: readonly string[] | undefined;
  readonly occasions: readonly string[] | undefined;
  readonly conditions: readonly string[] | undefined;
  /** Broken only in dry weather. */
  readonly isDry: true | undefined;
  /** Wind chill below which it holds, °C. */
  readonly belowC: number | undefined;
  /** Air temperature above which it holds, °C. */
  readonly aboveC: number | undefined;
  /** Activity from which it holds, met. */
  readonly fromMet: number | undefined;
  /** Activity below which it holds, met. */
  readonly belowMet: number | undefined;
  /** Wind from which it holds, m/s. */
  readonly fromMs: number | undefined;
  /** Holds only for what is worn outside: to an evening one rides, and changes shoes. */
  readonly isOutside: true | undefined;
}

/** Lists that rules name with an `@`; a list may have lists before it. */
const LISTS = new Map<string, readonly string[]>();

const idsOf = (cell: string): string[] =>
  cell.split(' ').flatMap((id) => (id.startsWith('@') ? listOf(id.slice(1)) : id));

function listOf(name: string): readonly string[] {
  const list = LISTS.get(name);
  if (!list) throw new Error(`data/look/sense-lists.tsv has no list ${name} above its use`);
  return list;
}

for (const [name = '', ids = ''] of readTable('look/sense-lists')) LISTS.set(name, idsOf(ids));

const listIn = (cell: string | undefined) => (cell ? idsOf(cell) : undefined);
const numberIn = (cell: string | undefined) => (cell ? Number(cell) : undefined);

/** Every rule has every field, so that reading one is quick. */
function readRule(cells: readonly string[]): SenseRule {
  const [id = '', points, hard, garments, materials, colour, other, owned] = cells;
  const [occasions, conditions, belowC, aboveC, fromMet, belowMet, fromMs, without, place] =
    cells.slice(8);
  const [madeOf, notOf] = materials?.split('!').map((cell) => cell.trim()) ?? [];
  const setOf = (categories?: string, shade?: string, of?: string, not?: string): GarmentSet => ({
    categories: listIn(categories),
    materials: listIn(of),
    unlessOf: listIn(not),
    isPale: shade === 'pale' || undefined,
  });
  return {
    id,
    points: numberIn(points),
    isHard: hard === 'hard' || undefined,
    garment: setOf(garments, colour, madeOf, notOf),
    with: other ? setOf(other) : undefined,
    ifOwned: listIn(owned),
    unlessOwned: listIn(without),
    occasions: listIn(occasions),
    conditions: conditions === 'dry' ? undefined : listIn(conditions),
    isDry: conditions === 'dry' || undefined,
    belowC: numberIn(belowC),
    aboveC: numberIn(aboveC),
    fromMet: numberIn(fromMet),
    belowMet: numberIn(belowMet),
    fromMs: numberIn(fromMs),
    isOutside: place === 'outside' || undefined,
  };
}

/**
 * Common sense, in data/look/sense-rules.tsv, a rule a line. All of it is judgement, from what people wear and what shops
 * advise.
 */
export const SENSE_RULES: readonly SenseRule[] = readTable('look/sense-rules').map(readRule);
