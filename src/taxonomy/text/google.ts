import { dictionary } from '../dictionary/schema.ts';
import { lazily } from '../lazily.ts';
import { readTable } from '../tables.ts';

/** An empty cell of a table. */
const NONE = '-';

/** `region:top` stands for all categories of a region. */
const REGION = 'region:';
const expand = (id: string): readonly string[] =>
  id.startsWith(REGION)
    ? dictionary.categories
        .filter(({ region }) => region === id.slice(REGION.length))
        .map((each) => each.id)
    : [id];

const isUnder = (path: string, branch: string): boolean =>
  path === branch || path.startsWith(`${branch} >`);

/** The nodes of the dictionary's categories and those in data/lexicon/google-nodes.tsv, each with its categories. */
const nodes = lazily(() => {
  const filed = dictionary.categories.map(({ id, mappings: { google } }) => ({
    id,
    node: google.id,
    path: google.path,
  }));
  const extra = readTable('lexicon/google-nodes').map(([node, path, ids = '']) => ({
    node: Number(node),
    path: path === NONE ? undefined : path,
    ids: ids === NONE ? [] : ids.split(' ').flatMap(expand),
  }));
  const all = [...extra, ...filed.map(({ node, path }) => ({ node, path, ids: [] }))];
  const pathOf = new Map(all.flatMap(({ node, path }) => (path ? [[node, path] as const] : [])));
  const categoriesUnder = (node: number): ReadonlySet<string> => {
    const branch = pathOf.get(node);
    const own = filed.filter(({ path }) => branch !== undefined && isUnder(path, branch));
    const others = extra.filter((each) => each.node === node).flatMap(({ ids }) => ids);
    return new Set([...own.map(({ id }) => id), ...others]);
  };
  return {
    categories: new Map(all.map(({ node }) => [node, categoriesUnder(node)])),
    // Of ids that share a path, its own comes last.
    ids: new Map([...pathOf].map(([node, path]) => [path.toLowerCase(), node])),
    roots: new Set([...pathOf.values()].map((path) => path.toLowerCase().split(' > ')[0])),
  };
});

/**
 * The meaning of a `google_product_category`. `categories`: the category ids below it; empty if it is no apparel.
 * `text`: a path in another language than English, to be read as text.
 */
type GoogleHint = { categories: ReadonlySet<string> } | { text: string };

const NO_CATEGORIES: ReadonlySet<string> = new Set();
/** An id, alone or as feeds write it beside its path: "187 - Apparel & Accessories > Shoes", "Shoes (187)". */
const ID = /^(\d+)(?:\s*[-–:].*)?$|\((\d+)\)$/;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&gt;': '>' };

/** Returns the steps of a path. A slash separates them only if nothing else does: names may contain one. */
function stepsOf(path: string): string[] {
  const steps = path.split(/[>›»|]/);
  return (steps.length > 1 ? steps : path.split('/')).map((step) => step.trim());
}

/** Reads a category. @param value an id, or a path such as `Apparel & Accessories > Shoes` */
export function readGoogleCategory(value: string | number): GoogleHint {
  const text = String(value)
    .trim()
    .replaceAll(/&(?:amp|gt);/g, (entity) => ENTITIES[entity] ?? entity);
  const [, before, after] = ID.exec(text) ?? [];
  const id = before ?? after;
  if (id !== undefined) return { categories: nodes().categories.get(Number(id)) ?? NO_CATEGORIES };
  const steps = stepsOf(text.toLowerCase());
  if (!nodes().roots.has(steps[0])) return { text: String(value) };
  for (let length = steps.length; length > 0; length--) {
    const node = nodes().ids.get(steps.slice(0, length).join(' > '));
    // An unknown node falls back to its parent, unless that is the root.
    if (node !== undefined && (length > 1 || steps.length === 1)) {
      return { categories: nodes().categories.get(node) ?? NO_CATEGORIES };
    }
  }
  return { categories: NO_CATEGORIES };
}
