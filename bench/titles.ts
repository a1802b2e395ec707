import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { classify } from '../src/taxonomy/classify.ts';
import { categories } from '../src/taxonomy/dictionary/schema.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from '../src/taxonomy/request-schema.ts';
import { calibrationError, mean } from './statistics.ts';

const Truth = z.object({
  truthLeaves: z.array(z.string()),
  acceptedRegions: z.array(z.string()),
  notAGarment: z.boolean(),
});
const Title = Truth.extend({
  title: z.string(),
  locale: z.string(),
  acceptNotAGarment: z.boolean(),
});
const Products = z.object({
  products: z.array(
    Truth.extend({
      name: z.string(),
      categories: z.array(z.string()),
      titleOnlyAlsoAccepted: z.array(z.string()),
    }),
  ),
});

/** A feed row and what may be answered. */
export interface LabelledRow {
  /** Rows that are reported together: the language of the title, or the shop. */
  set: string;
  row: FeedAttributes;
  leaves: ReadonlySet<string>;
  regions: ReadonlySet<string>;
  isGarment: boolean;
  /** "No garment" is right as well. */
  mayBeNone: boolean;
}

/** Rules and fitted parameters come from one part of the rows; the other part judges them. */
export const PARTS = ['fitting', 'judging'] as const;
type Part = (typeof PARTS)[number];

/** One title in this many judges. */
const JUDGING_SHARE = 4;

/**
 * Returns the part of a title. Titles that differ only after their first comma (colour, size) are in the same part.
 */
function partOf(title: string): Part {
  const product = title.toLowerCase().split(',', 1)[0]?.trim() ?? '';
  const [byte = 0] = createHash('sha256').update(product).digest();
  return byte % JUDGING_SHARE === JUDGING_SHARE - 1 ? 'judging' : 'fitting';
}

/** Categories of a later dictionary, and those that a label from before it has for the same garment. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  kurta: ['blouse', 'tunic', 'saree_traditional'],
  shalwar_kameez: ['saree_traditional'],
  abaya: ['saree_traditional'],
  kaftan: ['saree_traditional', 'tunic'],
  sherwani: ['saree_traditional'],
  thobe: ['saree_traditional'],
  dirndl: ['saree_traditional'],
  hanfu_qipao: ['saree_traditional'],
};

/** Adds the categories that have come since the labels. */
const withLater = (leaves: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...leaves,
    ...Object.entries(BEFORE).flatMap(([id, before]) =>
      before.some((leaf) => leaves.includes(leaf)) ? [id] : [],
    ),
  ]);

function readTitles(folder: string): LabelledRow[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const lines = files
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter(Boolean).map((line) => {
    const truth = Title.parse(JSON.parse(line));
    return {
      set: truth.locale,
      row: { title: truth.title },
      leaves: withLater(truth.truthLeaves),
      regions: new Set(truth.acceptedRegions),
      isGarment: !truth.notAGarment,
      mayBeNone: truth.acceptNotAGarment || truth.notAGarment,
    };
  });
}

/** Reads a shop's products twice: their names alone, and with their category paths. */
function readProducts(file: string): LabelledRow[] {
  if (!existsSync(file)) return [];
  const { products } = Products.parse(JSON.parse(readFileSync(file, 'utf8')));
  return products.flatMap(({ name, categories, ...truth }) => {
    const labels = {
      leaves: withLater([...truth.truthLeaves, ...truth.titleOnlyAlsoAccepted]),
      regions: new Set(truth.acceptedRegions),
      isGarment: !truth.notAGarment,
      mayBeNone: truth.notAGarment,
    };
    const path = categories[0];
    const named: LabelledRow = { set: 'en, one shop', row: { title: name }, ...labels };
    if (path === undefined) return [named];
    const row = { title: name, product_type: path };
    return [named, { set: 'en, one shop, with path', row, ...labels }];
  });
}

/**
 * Reads labelled titles and products.
 * @param shared the folder with `eval/titles` and `training/store-products.json`; what is missing is left out
 */
export function readLabelledRows(shared: string, part: Part): LabelledRow[] {
  const titles = readTitles(join(shared, 'eval', 'titles'));
  const own = titles.filter(({ row }) => partOf(row.title ?? '') === part);
  // The names of this shop were read while the rules were written.
  const products = readProducts(join(shared, 'training', 'store-products.json'));
  return part === 'fitting' ? [...own, ...products] : own;
}

const WRITTEN_FOLDER = new URL('../test/fixtures/naming/', import.meta.url);

/** Sets of titles in the style of shop feeds, written with their right answers before the rules were tried on them. */
export const WRITTEN_SETS = [
  'written-1',
  'written-2',
  'written-3',
  'written-4',
  'written-5',
  'written-6',
  'written-7',
  'written-8',
  'written-9',
  'written-10',
  'written-11',
  'written-12',
  'written-13',
  'written-14',
  'written-15',
  'written-16',
  'written-17',
  // By our own knowledge of shops: by kind, by maker, and both.
  'shops-1',
  'shops-2',
  'shops-3',
] as const;

/** Reads written titles. The right answers of a title are separated by bars; `none` is no garment. */
export const readWritten = (set: (typeof WRITTEN_SETS)[number]): LabelledRow[] =>
  readFileSync(new URL(`${set}.tsv`, WRITTEN_FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [language = '', , title = '', right = ''] = line.split('\t');
      const leaves = new Set(right.split('|'));
      return {
        set: language,
        row: { title },
        leaves,
        regions: new Set([...leaves].map((id) => categories.get(id)?.region ?? '')),
        isGarment: right !== 'none',
        mayBeNone: leaves.has('none'),
      };
    });

/** A row's answer, compared with its labels. */
interface Answer {
  set: string;
  row: FeedAttributes;
  /** The category; null if the answer is "uncertain" or "no garment". */
  id: string | null;
  confidence: number;
  isAnswered: boolean;
  isGarment: boolean;
  isRegionRight: boolean;
  isLeafRight: boolean;
}

/** Classifies a row. "No garment" is an answer if the row sells none, or might. */
export function answer({ set, row, leaves, regions, isGarment, mayBeNone }: LabelledRow): Answer {
  const { status, category } = classify({
    attributes: row,
    options: DEFAULT_SETTINGS,
    fallbackId: 'row',
  });
  const isNone = status === 'unknown' && mayBeNone;
  const id = category?.id ?? null;
  return {
    set,
    row,
    id,
    confidence: category?.confidence ?? 0,
    isAnswered: isNone || id !== null,
    isGarment,
    isRegionRight: isNone || (isGarment && regions.has(category?.region ?? '')),
    isLeafRight: isNone || (isGarment && leaves.has(id ?? '')),
  };
}

/** A wrong answer from this confidence on is a sure one. */
const SURE = 0.9;

const share = (answers: readonly Answer[], holds: (answer: Answer) => boolean): number =>
  mean(answers.map((each) => (holds(each) ? 1 : 0)));

/** Scores answers. Wrong ones of garments that were not answered do not count as wrong. */
function score(answers: readonly Answer[]) {
  const answered = answers.filter(({ isAnswered }) => isAnswered);
  const named = answered.filter(({ id }) => id !== null);
  return {
    titles: answers.length,
    answered: share(answers, ({ isAnswered }) => isAnswered),
    region: share(answered, ({ isRegionRight }) => isRegionRight),
    leaf: share(answered, ({ isLeafRight }) => isLeafRight),
    /** Share that is taken for a garment and is none. */
    accepted: share(answers, ({ id, isGarment }) => id !== null && !isGarment),
    /** The same, of those that are no garments. */
    acceptedOfThings: share(
      answers.filter(({ isGarment }) => !isGarment),
      ({ id }) => id !== null,
    ),
    surelyWrong: share(
      answers,
      ({ id, isLeafRight, confidence }) => id !== null && !isLeafRight && confidence >= SURE,
    ),
    calibrationError: calibrationError(
      named.map(({ confidence, isLeafRight }) => ({ confidence, isRight: isLeafRight })),
    ),
  };
}

/** Scores the rows of a part by set, and all together. */
export function measureTitles(shared: string, part: Part) {
  return scoreBySet(readLabelledRows(shared, part));
}

/** Scores rows by set, and all together. */
export function scoreBySet(rows: readonly LabelledRow[]) {
  const answers = rows.map(answer);
  const sets = [...new Set(answers.map(({ set }) => set))];
  return [
    ...sets.map((set) => ({ set, ...score(answers.filter((each) => each.set === set)) })),
    { set: 'all', ...score(answers) },
  ];
}
