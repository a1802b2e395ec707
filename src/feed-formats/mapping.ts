import { z } from 'zod';
import { type Column, columnNames, columnOf, plainName } from './columns.ts';
import { excerpt, FeedError } from './feed-error.ts';

/**
 * The columns of one kind of export, as `plainName` spells them: of `id` and `image` the first that the feed has is
 * read, of `images` all. `/` leads into nested elements, `@` to an attribute.
 */
interface Preset {
  id: readonly string[];
  image: readonly string[];
  images: readonly string[];
  title: readonly string[];
  category: readonly string[];
  /** Names of which the feed must have one: without them other exports would fit too. */
  marks: readonly string[];
  /** Between the links of one value, where they may be relative. */
  separator?: string | undefined;
  /** Rows with the same id, one after the other, are one product. */
  group?: boolean | undefined;
}
type Traits = Pick<Preset, 'separator' | 'group'>;

/** Exports of shops and networks; their names, and those of Google and Meta, are in data/feeds/columns.tsv. */
const TRAITS = {
  shopify: { group: true },
  wix: { separator: ';', group: true },
  squarespace: { separator: ' ', group: true },
  woocommerce: { separator: ',' },
  magento: { separator: ',', group: true },
  prestashop: { separator: ',' },
  awin: {},
  criteo: {},
  idealo: {},
  heureka: {},
  'shopify-json': {},
} as const satisfies Readonly<Record<string, Traits>>;
type ExportName = keyof typeof TRAITS;
export const EXPORT_NAMES = Object.keys(TRAITS) as ExportName[];

const presetOf = (name: string, traits: Traits = {}): Preset => ({
  id: columnNames(name, 'id'),
  image: columnNames(name, 'image'),
  images: columnNames(name, 'images'),
  title: columnNames(name, 'title'),
  category: columnNames(name, 'category'),
  marks: columnNames(name, 'marks'),
  ...traits,
});

export const PRESETS = Object.fromEntries(
  EXPORT_NAMES.map((name) => [name, presetOf(name, TRAITS[name])]),
) as Readonly<Record<ExportName, Preset>>;

const withAddress = (names: readonly string[]): string[] =>
  names.flatMap((name) => [
    name,
    ...columnNames('nested', 'address').map((address) => `${name}/${address}`),
  ]);

/** Elements or keys with the pictures of a product, what is within them, and what in that has the address. */
const pictures = columnNames('nested', 'picture');
const NESTED = withAddress([
  ...pictures,
  ...columnNames('nested', 'around').flatMap((around) => [
    around,
    ...pictures.map((picture) => `${around}/${picture}`),
  ]),
]);

const plain = presetOf('plain');

/** The commonest names, for feeds that none of the others fits. */
const PLAIN: Preset = {
  ...plain,
  image: [...plain.image, ...NESTED],
  images: [...plain.images, ...NESTED],
};

/** Kinds of exports that are recognised. */
export const PRESET_NAMES = ['google', 'plain', ...EXPORT_NAMES] as const;
type PresetName = (typeof PRESET_NAMES)[number];

const Name = z.string().trim().min(1).max(200);

/** Where a feed's rows have what is read; what is not given is recognised. */
export const FeedMapping = z
  .strictObject({
    preset: z.enum(PRESET_NAMES),
    id: Name.meta({ description: 'The column, key or element with the id; `@id` is an attribute' }),
    image: Name.meta({ description: 'The one with the image link; `a/b` is `b` within `a`' }),
    images: z.array(Name).max(20).meta({ description: 'Those with further image links' }),
    title: Name,
    category: Name,
    items: Name.meta({ description: 'The path of the rows in XML or JSON: `products/product`' }),
    separator: z.string().min(1).max(5).meta({ description: 'Between the links in one value' }),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .max(1000)
      .meta({ description: 'What relative links follow; a slash between them is added' }),
    group: z.boolean().meta({
      description: 'Whether rows with the same id, one after the other, are one product',
    }),
  })
  .partial()
  .meta({ id: 'FeedMapping' });
export type FeedMapping = z.infer<typeof FeedMapping>;

/** How the rows of a feed are read. */
export interface Reading {
  /** What was recognised; `custom` if the mapping names both id and image. */
  preset: PresetName | 'custom';
  /** The column of a label, cell by cell. */
  columnOf(label: string): Column | undefined;
  separator?: string | undefined;
  baseUrl?: string | undefined;
  group: boolean;
}

/** The most labels that are remembered; XML and JSON may have a new one in each row. */
const MAX_REMEMBERED = 5_000;

/** Remembers what labels are: they repeat in every row. */
function remember<T extends Column | boolean | undefined>(find: (label: string) => T) {
  const known = new Map<string, T>();
  return (label: string): T => {
    const remembered = known.get(label);
    if (remembered !== undefined || known.has(label)) return remembered as T;
    const found = find(label);
    if (known.size < MAX_REMEMBERED) known.set(label, found);
    return found;
  };
}

export const GOOGLE_READING: Reading = {
  preset: 'google',
  columnOf: remember(columnOf),
  group: false,
};

/** `image2` and `picture_3` have further images, `image1` the first one. */
const splitNumber = (name: string): [string, number] => {
  const [, base = name, number = ''] = /^(.*?)\[?(\d{1,2})\]?$/.exec(name) ?? [];
  return [base, number === '' ? Number.NaN : Number(number)];
};

interface Labels {
  written: readonly string[];
  plain: ReadonlySet<string>;
}

const thenAttributes = (names: readonly string[]): string[] => [
  ...names,
  ...names.map((name) => `@${name}`),
];

const requiredByPreset = new WeakMap<Preset, Pick<Preset, 'id' | 'image'>>();

/** What the id and the first image may be named; the best names come first. Each path of an XML asks for them. */
function requiredNames(preset: Preset): Pick<Preset, 'id' | 'image'> {
  const { id, image } = preset;
  const numbered = (number: number) => image.map((name) => `${name}${number}`);
  const found = requiredByPreset.get(preset) ?? {
    id: thenAttributes(id),
    image: thenAttributes([...image, ...numbered(1), ...numbered(0)]),
  };
  requiredByPreset.set(preset, found);
  return found;
}

/** Returns the names of the id and the first image that the labels have. */
function required(preset: Preset, { plain }: Labels) {
  const { id, image } = requiredNames(preset);
  const isThere = (name: string) => plain.has(name);
  return { id: id.find(isThere), image: image.find(isThere) };
}

const isGoogle = ({ written }: Labels): boolean => {
  const found = new Set(written.map(columnOf));
  return found.has('id') && found.has('imageLink');
};

function fits(preset: Preset, labels: Labels): boolean {
  const { marks } = preset;
  if (marks.length > 0 && !marks.some((name) => labels.plain.has(name))) return false;
  const { id, image } = required(preset, labels);
  return id !== undefined && image !== undefined;
}

/** Which of an id and an image the names in a header do not have. */
export function missingColumns(written: readonly string[]): {
  id?: 'id';
  imageLink?: 'image_link';
} {
  const { id, image } = required(PLAIN, { written, plain: new Set(written.map(plainName)) });
  const known = new Set(written.map(columnOf));
  return {
    ...(!id && !known.has('id') && { id: 'id' }),
    ...(!image && !known.has('imageLink') && { imageLink: 'image_link' }),
  };
}

const namesOf = ({ id, image, images, title, category, marks }: Preset): string[] => [
  ...[...id, ...image, ...images, ...title, ...category, ...marks],
];

const score = (preset: Preset, { plain }: Labels): number =>
  new Set(namesOf(preset).filter((name) => plain.has(name))).size;

/** Returns the preset that fits the labels best. @throws FeedError ambiguous */
function bestPreset(labels: Labels): PresetName | undefined {
  if (isGoogle(labels)) return 'google';
  const ranked = EXPORT_NAMES.filter((name) => fits(PRESETS[name], labels))
    .map((name) => ({ name, score: score(PRESETS[name], labels) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (!best) return fits(PLAIN, labels) ? 'plain' : undefined;
  const read = (name: ExportName) => JSON.stringify(required(PRESETS[name], labels));
  if (second?.score !== best.score || read(second.name) === read(best.name)) return best.name;
  const detail = `The columns fit ${best.name} and ${second.name} equally well: name one of them as the preset of the mapping, or the columns of id and image`;
  throw new FeedError('ambiguous', detail);
}

const listed = ({ written }: Labels): string =>
  written
    .slice(0, 20)
    .map((label) => excerpt(label))
    .join(', ');

function checkNames(mapping: FeedMapping, labels: Labels): void {
  const { id, image, images = [], title, category } = mapping;
  const missing = [id, image, ...images, title, category].find(
    (name) => name !== undefined && !labels.plain.has(plainName(name)),
  );
  if (missing === undefined) return;
  const detail = `The mapping names ${excerpt(missing)}, which the feed does not have; it has ${listed(labels)}`;
  throw new FeedError('mapping', detail);
}

/** Returns a preset with the columns that the mapping names in place of its own. */
function withNames(preset: Preset, mapping: FeedMapping): Preset {
  const { id, image, images, title, category, separator, group } = mapping;
  return {
    ...preset,
    ...(id && { id: [plainName(id)] }),
    ...(image && { image: [plainName(image)], images: [] }),
    ...(images && { images: images.map(plainName) }),
    ...(title && { title: [plainName(title)] }),
    ...(category && { category: [plainName(category)] }),
    ...(separator && { separator }),
    ...(group !== undefined && { group }),
  };
}

/** Labels that another is of an element within; attributes are not. */
const parentsOf = (labels: Iterable<string>): ReadonlySet<string> =>
  new Set(
    Array.from(labels).flatMap((label) =>
      Array.from(label.matchAll(/\/(?!@)/g), ({ index }) => label.slice(0, index)),
    ),
  );

/** Names, of elements or of attributes of the item. */
const withAttributes = (names: readonly string[]): string[] =>
  names.flatMap((name) => [name, `@${name}`]);

/** Finds columns by a preset; what it does not name may have Google's name. */
function columnFinder(preset: Preset, labels: Labels): Reading['columnOf'] {
  const { id, image } = required(preset, labels);
  const [imageBase] = splitNumber(image ?? '');
  const parents = parentsOf(labels.plain);
  const more = new Set(withAttributes(preset.images).filter((name) => !parents.has(name)));
  const others = new Map<string, Column>([
    ...withAttributes(preset.category).map((name) => [name, 'productType'] as const),
    ...withAttributes(preset.title).map((name) => [name, 'title'] as const),
  ]);
  return remember((label) => {
    const name = plainName(label);
    if (name === id) return 'id';
    if (name === image) return 'imageLink';
    const [base, number] = splitNumber(name);
    if (more.has(name) || (number >= 0 && (base === imageBase || more.has(base))))
      return 'additionalImageLink';
    const column = others.get(name) ?? columnOf(label);
    return column === 'id' || column === 'imageLink' ? undefined : column;
  });
}

const PRESET_COLUMNS = new Set([PLAIN, ...Object.values(PRESETS)].flatMap(namesOf));

/** Whether a label is a column of any known export or of the mapping: to find the header's delimiter by. */
export function knownNames(mapping: FeedMapping): (label: string) => boolean {
  const { id, image, images = [], title, category } = mapping;
  const named = new Set(
    [id, image, ...images, title, category].map((name) => plainName(name ?? '')),
  );
  named.delete('');
  const isKnown = (name: string) => named.has(name) || PRESET_COLUMNS.has(name);
  return remember((label) => {
    const name = plainName(label);
    return isKnown(name) || isKnown(splitNumber(name)[0]) || columnOf(label) !== undefined;
  });
}

/**
 * Decides how rows with these labels are read.
 * @returns undefined if nothing fits: no preset has an id and an image among them
 * @throws FeedError ambiguous; mapping, if it names a column that is not there
 */
export function recognise(written: readonly string[], mapping: FeedMapping): Reading | undefined {
  const parents = parentsOf(written);
  const leaves = written.filter((label) => !parents.has(label));
  const labels = { written: leaves, plain: new Set(leaves.map(plainName)) };
  checkNames(mapping, labels);
  const isCustom = mapping.id !== undefined && mapping.image !== undefined;
  const name = mapping.preset ?? (isCustom ? 'plain' : bestPreset(labels));
  const { baseUrl } = mapping;
  if (name === 'google' && !mapping.id && !mapping.image && !mapping.images) {
    if (!mapping.title && !mapping.category) {
      const { separator, group = false } = mapping;
      return { ...GOOGLE_READING, separator, baseUrl, group };
    }
  }
  const preset = withNames(
    name === undefined || name === 'google' || name === 'plain' ? PLAIN : PRESETS[name],
    mapping,
  );
  if (!fits({ ...preset, marks: [] }, labels)) return undefined;
  return {
    preset: isCustom && !mapping.preset ? 'custom' : (name ?? 'custom'),
    columnOf: columnFinder(preset, labels),
    separator: preset.separator,
    baseUrl,
    group: preset.group ?? false,
  };
}
