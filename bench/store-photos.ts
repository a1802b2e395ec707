import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { classify, type ImageEvidence } from '../src/taxonomy/classify.ts';
import { categories } from '../src/taxonomy/dictionary/schema.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from '../src/taxonomy/request-schema.ts';
import type { Engine } from '../workers/inference/pool.ts';
import { withCpuMillis } from './processes.ts';
import { calibrationError, mean } from './statistics.ts';

const Manifest = z.object({
  items: z.array(z.looseObject({ kind: z.string(), image: z.string(), sku: z.string() })),
});
const Products = z.object({
  products: z.array(
    z.looseObject({
      sku: z.string(),
      name: z.string(),
      categories: z.array(z.string()),
      truthLeaves: z.array(z.string()),
      acceptedRegions: z.array(z.string()),
      notAGarment: z.boolean(),
    }),
  ),
});
type Product = z.infer<typeof Products>['products'][number];

/** A shop's photo as the engine sees it, and the product that it sells. */
export interface StorePhoto {
  kind: string;
  image: string;
  product: Product;
  evidence: ImageEvidence;
  /** Of looking at it, and of cutting it out, CPU time. */
  viewMillis: number;
  cutOutMillis: number;
}

/**
 * Looks at the photos of a shop.
 * @param folder with `store-manifest.json`; the products are in `../training/store-products.json`
 * @returns none if either is missing
 */
export async function readStorePhotos(engine: Engine, folder: string): Promise<StorePhoto[]> {
  const manifest = join(folder, 'store-manifest.json');
  const products = join(dirname(folder), 'training', 'store-products.json');
  if (!existsSync(manifest) || !existsSync(products)) return [];
  const bySku = new Map(
    Products.parse(JSON.parse(readFileSync(products, 'utf8'))).products.map((product) => [
      product.sku,
      product,
    ]),
  );
  const photos: StorePhoto[] = [];
  for (const { kind, image, sku } of Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8')))
    .items) {
    const product = bySku.get(sku);
    if (!product) continue;
    const bytes = await readFile(join(folder, image));
    const view = await withCpuMillis(engine.pids(), () => engine.viewGarment(bytes));
    const cutOut = await withCpuMillis(engine.pids(), () => engine.removeBackground(bytes));
    photos.push({
      kind,
      image,
      product,
      evidence: view.result,
      viewMillis: view.cpuMillis,
      cutOutMillis: cutOut.cpuMillis,
    });
  }
  return photos;
}

/** A response, compared with its product. */
interface Answer {
  isAnswered: boolean;
  isRegionRight: boolean;
  isGroupRight: boolean;
  isLeafRight: boolean;
  confidence: number;
}

const groupOf = (id: string): string => categories.get(id)?.parentId ?? '';

/** "No garment" is the right response to what is none. */
export function answerFor(
  { product, evidence }: Pick<StorePhoto, 'product' | 'evidence'>,
  attributes?: FeedAttributes,
): Answer {
  const { status, category } = classify({
    attributes,
    image: evidence,
    options: DEFAULT_SETTINGS,
    fallbackId: product.sku,
  });
  const { truthLeaves, acceptedRegions, notAGarment } = product;
  const isNone = status === 'unknown' && notAGarment;
  const id = category?.id ?? '';
  return {
    isAnswered: isNone || id !== '',
    isRegionRight: isNone || acceptedRegions.includes(category?.region ?? ''),
    isGroupRight: isNone || truthLeaves.map(groupOf).includes(category?.groupId ?? ''),
    isLeafRight: isNone || truthLeaves.includes(id),
    confidence: category?.confidence ?? 1,
  };
}

const shareOf = (answers: readonly Answer[], name: keyof Answer): number =>
  mean(answers.map((answer) => Number(answer[name])));

function score(kind: string, answers: readonly Answer[]) {
  const answered = answers.filter(({ isAnswered }) => isAnswered);
  return {
    kind,
    photos: answers.length,
    answered: shareOf(answers, 'isAnswered'),
    region: shareOf(answered, 'isRegionRight'),
    group: shareOf(answered, 'isGroupRight'),
    leaf: shareOf(answered, 'isLeafRight'),
    confidence: mean(answered.map(({ confidence }) => confidence)),
    calibrationError: calibrationError(
      answered.map(({ confidence, isLeafRight }) => ({ confidence, isRight: isLeafRight })),
    ),
  };
}

const rowOf = ({ name, categories: [path] }: Product): FeedAttributes => ({
  title: name,
  ...(path && { product_type: path }),
});

/** The regions of two products have nothing in common, and both are told apart by a photo. */
const isOther = (a: Product, b: Product): boolean =>
  !b.notAGarment &&
  !b.acceptedRegions.includes('accessory') &&
  !a.acceptedRegions.some((region) => b.acceptedRegions.includes(region));

/** Share of photos that disagree with the row of a product, of all pairs that fulfil a condition. */
function disagreeing(
  photos: readonly StorePhoto[],
  rows: readonly Product[],
  isPair: (photo: Product, row: Product) => boolean,
): number {
  const pairs = photos.flatMap(({ product, evidence }) =>
    rows.filter((row) => isPair(product, row)).map((row) => ({ evidence, row })),
  );
  return mean(
    pairs.map(({ evidence, row }) =>
      Number(
        classify({
          attributes: rowOf(row),
          image: evidence,
          options: DEFAULT_SETTINGS,
          fallbackId: row.sku,
        }).review.reasons.includes('image-text-disagree'),
      ),
    ),
  );
}

/** Scores what photos of a shop are named, without and with their rows. */
export function scoreStorePhotos(photos: readonly StorePhoto[]) {
  if (photos.length === 0) return undefined;
  const kinds = [...new Set(photos.map(({ kind }) => kind))];
  const alone = (some: readonly StorePhoto[]) => some.map((photo) => answerFor(photo));
  const rows = [...new Set(photos.map(({ product }) => product))];
  const millis = (name: 'viewMillis' | 'cutOutMillis') => mean(photos.map((photo) => photo[name]));
  return {
    cpu: { viewMillis: millis('viewMillis'), cutOutMillis: millis('cutOutMillis') },
    alone: [
      ...kinds.map((kind) => score(kind, alone(photos.filter((photo) => photo.kind === kind)))),
      score('all', alone(photos)),
    ],
    withRow: score(
      'all, with title and path',
      photos.map((photo) => answerFor(photo, rowOf(photo.product))),
    ),
    /** Of photos beside the row of a product of another region, and beside their own. */
    disagree: {
      swapped: disagreeing(photos, rows, isOther),
      own: disagreeing(photos, rows, (photo, row) => photo === row),
    },
  };
}
