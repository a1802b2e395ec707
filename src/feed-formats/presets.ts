import { columnNames } from './column-names.ts';

/**
 * The columns of one kind of export, as `plainName` spells them: of `id` and `image` the first that the feed has is
 * read, of `images` all. `/` leads into nested elements, `@` to an attribute.
 */
export interface Preset {
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

/** Exports of shops and networks; the names of Google and Meta are in columns.ts. */
const TRAITS = {
  shopify: { group: true },
  wix: { separator: ';', group: true },
  woocommerce: { separator: ',' },
  magento: { separator: ',', group: true },
  prestashop: { separator: ',' },
  awin: {},
  criteo: {},
  idealo: {},
  heureka: {},
  'shopify-json': {},
} as const satisfies Readonly<Record<string, Traits>>;
export type ExportName = keyof typeof TRAITS;
export const EXPORT_NAMES = Object.keys(TRAITS) as ExportName[];

function presetOf(name: string, traits: Traits = {}): Preset {
  const of = (column: string) => columnNames(name, column);
  const [id, image, images] = [of('id'), of('image'), of('images')];
  return {
    id,
    image,
    images,
    title: of('title'),
    category: of('category'),
    marks: of('marks'),
    ...traits,
  };
}

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
export const PLAIN: Preset = {
  ...plain,
  image: [...plain.image, ...NESTED],
  images: [...plain.images, ...NESTED],
};
