import type { FeedFormat } from '../../src/feed-formats/sniff.ts';

/** A product as in a retailer's feed, with Google's attribute names. */
export interface Product {
  id: string;
  title: string;
  description?: string;
  product_type?: string;
  google_product_category?: string;
  material?: string;
  color?: string;
  gender?: string;
  age_group?: string;
  brand?: string;
  link?: string;
  price?: string;
  image_link: string;
  additional_image_link?: readonly string[];
}

type Column = keyof Product;

/** The choices a feed format leaves. */
export interface Layout {
  /** Of a CSV file. */
  delimiter?: ',' | ';' | '|';
  lineBreak?: '\n' | '\r\n';
  /** Of Google's namespace, in XML. */
  prefix?: string;
}

const COLUMNS: readonly Column[] = [
  'id',
  'title',
  'description',
  'link',
  'image_link',
  'additional_image_link',
  'price',
  'brand',
  'google_product_category',
  'product_type',
  'material',
  'color',
  'gender',
  'age_group',
];

const textOf = (product: Product, column: Column): string => {
  const value = product[column] ?? '';
  return typeof value === 'string' ? value : value.join(',');
};

const quoted = (value: string, delimiter: string): string =>
  value.includes(delimiter) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

function* delimitedLines(products: Iterable<Product>, delimiter: string): Iterable<string> {
  yield COLUMNS.join(delimiter);
  for (const product of products) {
    yield COLUMNS.map((column) => quoted(textOf(product, column), delimiter)).join(delimiter);
  }
}

function* jsonLines(products: Iterable<Product>): Iterable<string> {
  for (const product of products) yield JSON.stringify(product);
}

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The elements of a product in Google's namespace; title, link and description belong to the format itself. */
const xmlElements = (product: Product, own: readonly Column[], prefix: string): string =>
  COLUMNS.flatMap((column) => {
    const value = product[column] ?? [];
    const values = typeof value === 'string' ? [value] : value;
    const name = own.includes(column) ? column : `${prefix}:${column}`;
    return values.map((text) => `<${name}>${escapeXml(text)}</${name}>`);
  }).join('');

function* rssLines(products: Iterable<Product>, prefix: string): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield `<rss version="2.0" xmlns:${prefix}="http://base.google.com/ns/1.0">`;
  yield '<channel><title>Shop</title><link>https://shop.example</link>';
  const own: readonly Column[] = ['title', 'link', 'description'];
  for (const product of products) yield `<item>${xmlElements(product, own, prefix)}</item>`;
  yield '</channel></rss>';
}

function* atomLines(products: Iterable<Product>, prefix: string): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:${prefix}="http://base.google.com/ns/1.0">`;
  yield '<title>Shop</title>';
  for (const product of products) yield `<entry>${xmlElements(product, ['title'], prefix)}</entry>`;
  yield '</feed>';
}

function* listLines(products: Iterable<Product>): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield '<products>';
  for (const product of products)
    yield `<product>${xmlElements(product, ['id', 'title'], 'p')}</product>`.replaceAll('p:', '');
  yield '</products>';
}

function* arrayLines(products: Iterable<Product>): Iterable<string> {
  yield '[';
  let before = '';
  for (const line of jsonLines(products)) {
    yield before + line;
    before = ',';
  }
  yield ']';
}

const LINES: Record<FeedFormat, (products: Iterable<Product>, layout: Layout) => Iterable<string>> =
  {
    rss: (products, { prefix = 'g' }) => rssLines(products, prefix),
    atom: (products, { prefix = 'g' }) => atomLines(products, prefix),
    tsv: (products) => delimitedLines(products, '\t'),
    csv: (products, { delimiter = ',' }) => delimitedLines(products, delimiter),
    ndjson: (products) => jsonLines(products),
    xml: (products) => listLines(products),
    json: (products) => arrayLines(products),
  };

/** Generates the feed's lines, each with its line break, one at a time: a feed may have any length. */
export function* feedLines(
  format: FeedFormat,
  products: Iterable<Product>,
  layout: Layout = {},
): Iterable<string> {
  for (const line of LINES[format](products, layout)) yield line + (layout.lineBreak ?? '\n');
}

/** Returns a whole feed as text. */
export const feedText = (
  format: FeedFormat,
  products: Iterable<Product>,
  layout: Layout = {},
): string => [...feedLines(format, products, layout)].join('');

const KINDS = ['T-shirt', 'Wool coat', 'Linen dress', 'Straight jeans', 'Leather boots'] as const;

/**
 * Plausible products, `sku-0` onwards.
 * @param imageUrls of the i-th product: its image link, then its additional ones
 */
export function* products(
  count: number,
  imageUrls: (index: number) => readonly [string, ...string[]],
): Iterable<Product> {
  for (let i = 0; i < count; i++) {
    const kind = KINDS[i % KINDS.length]!;
    const [image, ...more] = imageUrls(i);
    yield {
      id: `sku-${i}`,
      title: `${kind} no. ${i}, "Größe" M`,
      description: `A ${kind.toLowerCase()} for every day & night, made to last.`,
      link: `https://shop.example/p/${i}`,
      image_link: image,
      additional_image_link: more,
      price: '29.90 EUR',
      brand: 'Selvedge & Söhne',
      google_product_category: '1604',
      product_type: `Apparel > ${kind}`,
      color: 'blue',
      gender: 'unisex',
      age_group: 'adult',
    };
  }
}

/** Returns texts and bytes as a stream, one chunk each. */
export async function* streamOf(chunks: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
