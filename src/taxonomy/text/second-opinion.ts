import { CATEGORY_IDS } from '../dictionary/schema.ts';
import { lazily, remembered } from '../lazily.ts';
import weightsFile from './second-opinion.json' with { type: 'json' };
import type { Token } from './tokens.ts';

/** Classes of the linear model: the categories, and "no garment". */
export const CLASS_COUNT = CATEGORY_IDS.length + 1;
/** Each feature is hashed to one of this many rows of weights. */
const ROW_COUNT = 2 ** 13;

/** A linear model over hashed words and parts of words; `weights` has a row for each hash, and one of zeros. */
export interface LinearModel {
  weights: ArrayLike<number>;
  /** What a weight of 1 stands for. */
  scale: number;
  bias: readonly number[];
}

const MIN_GRAM = 3;
const MAX_GRAM = 4;
/** Only the start of a text and of a word is read. */
const MAX_TOKENS = 40;
const MAX_WORD_CHARS = 24;

/** Kinds of features; each starts the hash, so that equal letters of two kinds differ. */
const KINDS = { word: 17, pair: 29, first: 41, last: 53, gram: 67 } as const;
const BOUNDARY = 1;
const OFFSET = 2166136261;
const PRIME = 16777619;

const mix = (hash: number, code: number): number => Math.imul(hash ^ code, PRIME);
const start = (kind: number): number => mix(OFFSET, kind);

function hashWord(hash: number, word: string): number {
  let mixed = hash;
  for (let i = 0; i < word.length; i++) mixed = mix(mixed, word.charCodeAt(i));
  return mixed;
}

/** Marks the rows that a text already has; cleared after each text. */
const isMarked = new Uint8Array(ROW_COUNT);

const rowOf = (hash: number): number => ((hash >>> 0) ^ (hash >>> 15)) & (ROW_COUNT - 1);

function addRow(rows: number[], row: number): void {
  if (isMarked[row]) return;
  isMarked[row] = 1;
  rows.push(row);
}

/** The rows of the parts of a word, three or four letters long; its start and end count as letters. */
const gramsOf = remembered((word): readonly number[] => {
  const rows: number[] = [];
  const length = word.length + 2;
  for (let from = 0; from + MIN_GRAM <= length; from++) {
    let hash = start(KINDS.gram);
    for (let size = 1; size <= MAX_GRAM && from + size <= length; size++) {
      const at = from + size - 1;
      hash = mix(hash, at === 0 || at === length - 1 ? BOUNDARY : word.charCodeAt(at - 1));
      if (size >= MIN_GRAM) rows.push(rowOf(hash));
    }
  }
  return rows;
});

/** Returns the rows of weights of a text: its words, pairs of words, first and last word, and parts of words. */
export function rowsOf(tokens: readonly Token[]): number[] {
  const rows: number[] = [];
  const last = Math.min(tokens.length, MAX_TOKENS) - 1;
  let previous = '';
  for (let at = 0; at <= last; at++) {
    const word = (tokens[at]?.text ?? '').slice(0, MAX_WORD_CHARS);
    addRow(rows, rowOf(hashWord(start(KINDS.word), word)));
    if (at > 0) {
      addRow(rows, rowOf(hashWord(mix(hashWord(start(KINDS.pair), previous), BOUNDARY), word)));
    }
    if (at === 0) addRow(rows, rowOf(hashWord(start(KINDS.first), word)));
    if (at === last) addRow(rows, rowOf(hashWord(start(KINDS.last), word)));
    for (const row of gramsOf(word)) addRow(rows, row);
    previous = word;
  }
  for (const row of rows) isMarked[row] = 0;
  return rows;
}

/** The first weight of a row; weights are followed by a row of zeros, for rows that are not there. */
const startOf = (rows: readonly number[], at: number): number =>
  (at < rows.length ? rows[at]! : ROW_COUNT) * CLASS_COUNT;

/** Sums the weights of rows, by class; four rows at a time, which takes half of the time. */
function sumRows(rows: readonly number[], weights: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(CLASS_COUNT);
  for (let at = 0; at < rows.length; at += 4) {
    const a = startOf(rows, at);
    const b = startOf(rows, at + 1);
    const c = startOf(rows, at + 2);
    const d = startOf(rows, at + 3);
    for (let k = 0; k < CLASS_COUNT; k++) {
      sums[k]! += weights[a + k]! + weights[b + k]! + weights[c + k]! + weights[d + k]!;
    }
  }
  return sums;
}

/** Returns the probability of each class, in the order of CATEGORY_IDS; the last is "no garment". */
export function classProbabilities(
  rows: readonly number[],
  { weights, scale, bias }: LinearModel,
): Float64Array {
  const values = sumRows(rows, weights);
  let max = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < CLASS_COUNT; k++) {
    const score = (values[k] ?? 0) * scale + (bias[k] ?? 0);
    values[k] = score;
    max = Math.max(max, score);
  }
  let total = 0;
  for (let k = 0; k < CLASS_COUNT; k++) {
    const odds = Math.exp((values[k] ?? 0) - max);
    values[k] = odds;
    total += odds;
  }
  for (let k = 0; k < CLASS_COUNT; k++) values[k] = (values[k] ?? 0) / total;
  return values;
}

/** How many weights a model has, the row of zeros included. */
export const WEIGHT_COUNT = (ROW_COUNT + 1) * CLASS_COUNT;

/** A model as it is stored: its classes were the categories of the dictionary that it was fitted for. */
interface StoredModel {
  classes: readonly string[];
  scale: number;
  bias: readonly number[];
  /** Of `classes` and "no garment", in base64. */
  weights: string;
}

/**
 * Reads a model for the categories of today; those that it does not know have a probability of 0.
 * @throws Error if its weights are not those of its classes
 */
export function readModel({ classes, scale, bias, weights: text }: StoredModel): LinearModel {
  const stored = new Int8Array(Buffer.from(text, 'base64'));
  const width = classes.length + 1;
  if (stored.length !== (ROW_COUNT + 1) * width || bias.length !== width) {
    throw new Error('The weights of the second opinion are not those of its classes');
  }
  const columns = [...CATEGORY_IDS.map((id) => classes.indexOf(id)), classes.length];
  const weights = new Int8Array(WEIGHT_COUNT);
  for (const [k, column] of columns.entries()) {
    if (column < 0) continue;
    for (let row = 0; row < ROW_COUNT; row++) {
      weights[row * CLASS_COUNT + k] = stored[row * width + column] ?? 0;
    }
  }
  return {
    weights,
    scale,
    bias: columns.map((column) => bias[column] ?? Number.NEGATIVE_INFINITY),
  };
}

const shipped = lazily(() => readModel(weightsFile));

/** Of wear, so much belief in "no garment" at most comes from words that the model does not know. */
const MAX_DOUBT = 0.8;

/** A model's probability, 0–1, of each class of a text, in the order of CATEGORY_IDS; the last is "no garment". */
export const opinionOf = (tokens: readonly Token[], model = shipped()): Float64Array =>
  classProbabilities(rowsOf(tokens), model);

/** An opinion's probability, 0–1, that a text names a category; the same if it names any; and if none but the likeliest other. */
export function supportOf(opinion: Float64Array, category: number) {
  const support = opinion[category] ?? 0;
  const noGarment = opinion[CLASS_COUNT - 1] ?? 0;
  let next = 0;
  for (let k = 0; k < CLASS_COUNT - 1; k++)
    if (k !== category) next = Math.max(next, opinion[k] ?? 0);
  return {
    support,
    supportAsWear: support / (1 - Math.min(noGarment, MAX_DOUBT)),
    supportBesideNext: support / (support + next),
  };
}

export type Support = ReturnType<typeof supportOf>;
