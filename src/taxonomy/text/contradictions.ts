import { categories, type Region } from '../dictionary/schema.ts';
import { isListed } from './rules.ts';

/** Regions whose articles sellers do not keep apart: a tunic is a top or a dress, a fleece a top or a jacket. */
const NEIGHBOURS: ReadonlySet<string> = new Set(['top outerwear', 'top dress', 'outerwear dress']);
const isAnywhere = (id: string): boolean => isListed('garments', 'anywhere', id);

const areNeighbours = (a: Region, b: Region): boolean =>
  a === b || NEIGHBOURS.has(`${a} ${b}`) || NEIGHBOURS.has(`${b} ${a}`);

/** Stands for everything that is no garment. */
export const NO_GARMENT = '';

/** Whether an article that is named one category may be filed under the other. */
function canBe(a: string, b: string): boolean {
  const [first, second] = [categories.get(a), categories.get(b)];
  if (!first || !second) return a === b;
  if (a === b || first.bodySlot === second.bodySlot) return true;
  const isShoes = first.region === 'shoes' || second.region === 'shoes';
  if (!isShoes && (isAnywhere(a) || isAnywhere(b))) return true;
  return areNeighbours(first.region, second.region);
}

/** Whether no category of one list can be the same article as one of the other. */
export const contradict = (named: readonly string[], filed: readonly string[]): boolean => {
  // A branch of trousers has leggings, but is no place for shirts.
  const specific = filed.filter((id) => !isAnywhere(id));
  const others = specific.length > 0 ? specific : filed;
  return !named.some((id) => filed.includes(id) || others.some((other) => canBe(id, other)));
};

/** A region with a smaller share of a branch is there because sellers err. */
const MIN_REGION_SHARE = 1 / 3;
const regionOf = (id: string) => categories.get(id)?.region;

/** Whether a category is filed in another region than the one it is named for: a cardigan among coats. */
export const differ = (named: readonly string[], filed: readonly string[]): boolean => {
  const isFiled = (id: string): boolean => {
    const inRegion = filed.filter((other) => regionOf(other) === regionOf(id));
    return filed.includes(id) || inRegion.length >= MIN_REGION_SHARE * filed.length;
  };
  return !named.some(isFiled);
};
