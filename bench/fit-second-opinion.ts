import {
  CATEGORY_IDS,
  dictionary,
  LOCALES,
  type Locale,
} from '../src/taxonomy/dictionary/schema.ts';
import { HEAD_IS_LAST } from '../src/taxonomy/text/grammar.ts';
import { readWords } from '../src/taxonomy/text/lexicon-files.ts';
import {
  CLASS_COUNT,
  classProbabilities,
  type LinearModel,
  rowsOf,
  WEIGHT_COUNT,
} from '../src/taxonomy/text/second-opinion.ts';
import { tokenize } from '../src/taxonomy/text/tokens.ts';
import type { LabelledRow } from './titles.ts';

/** A text as rows of weights, and the classes that are right. */
interface Example {
  rows: readonly number[];
  classes: readonly number[];
  weight: number;
}

const NO_GARMENT = CLASS_COUNT - 1;
const classOf = new Map(CATEGORY_IDS.map((id, k) => [id, k]));

/** Titles made of a name, words of its language and the start of a labelled title; so many for each name. */
const MADE_TITLES = 6;
const NAME_WEIGHT = 0.3;
const TITLE_WEIGHT = 10;
const EPOCHS = 2;
const STEP = 0.1;
const MIN_GRADIENT = 0.02;
const MAX_WEIGHT = 127;

/** A generator of numbers from 0 to 1, the same in every run. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const wordsOf = (file: string, locale: Locale) =>
  readWords(file).filter(({ languages }) => languages.includes(locale));

/** The names of the dictionary and of things. Those of data/lexicon/names.tsv are left out: it is to judge them. */
function namesIn(locale: Locale): { name: string; label: number }[] {
  const named = (names: readonly string[], id: string) =>
    names.map((name) => ({ name, label: classOf.get(id) ?? NO_GARMENT }));
  return [
    ...dictionary.categories.flatMap(({ id, synonyms }) => named(synonyms[locale], id)),
    ...wordsOf('things', locale).flatMap(({ word }) => named([word], '')),
  ];
}

const describingWords = (locale: Locale): string[] => [
  ...[...dictionary.colourFamilies, ...dictionary.materials, ...dictionary.patterns].flatMap(
    ({ synonyms }) => synonyms[locale],
  ),
  ...wordsOf('attributes', locale).map(({ word }) => word),
];

const toRows = (title: string): number[] => rowsOf(tokenize(title));

/** Names alone, and in titles as a shop would write them. */
function nameExamples(random: () => number, starts: readonly string[]): Example[] {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  return LOCALES.flatMap((locale) => {
    const words = describingWords(locale);
    const make = (name: string): string => {
      const [maker, first, second] = [pick(starts), pick(words), pick(words)];
      if (random() < 0.5) return `${maker} ${name} ${first}`;
      return HEAD_IS_LAST[locale]
        ? `${maker} ${first} ${second} ${name}`
        : `${name} ${first} ${second} ${maker}`;
    };
    return namesIn(locale).flatMap(({ name, label }) =>
      [name, ...Array.from({ length: MADE_TITLES }, () => make(name))].map((title) => ({
        rows: toRows(title),
        classes: [label],
        weight: NAME_WEIGHT,
      })),
    );
  });
}

const titleExamples = (labelled: readonly LabelledRow[]): Example[] =>
  labelled.map(({ row, leaves, isGarment }) => ({
    rows: toRows(row.title ?? ''),
    classes: isGarment ? [...leaves].map((id) => classOf.get(id) ?? NO_GARMENT) : [NO_GARMENT],
    weight: TITLE_WEIGHT,
  }));

function shuffle<Item>(items: Item[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j] as Item, items[i] as Item];
  }
}

/** One step down the gradient of the log-likelihood that one of the right classes is meant (AdaGrad). */
function learn(
  { rows, classes, weight }: Example,
  model: { weights: Float32Array; bias: number[] },
  squares: Float32Array,
): void {
  const probabilities = classProbabilities(rows, { ...model, scale: 1 });
  const right = classes.reduce((sum, k) => sum + (probabilities[k] ?? 0), 0);
  for (let k = 0; k < CLASS_COUNT; k++) {
    const probability = probabilities[k] ?? 0;
    const share = classes.includes(k) ? probability / Math.max(right, 1e-9) : 0;
    const gradient = weight * (probability - share);
    if (Math.abs(gradient) < MIN_GRADIENT) continue;
    model.bias[k] = (model.bias[k] ?? 0) - 0.1 * STEP * gradient;
    for (const row of rows) {
      const at = row * CLASS_COUNT + k;
      const square = (squares[at] ?? 0) + gradient * gradient;
      squares[at] = square;
      model.weights[at] = (model.weights[at] ?? 0) - (STEP * gradient) / Math.sqrt(square + 1e-4);
    }
  }
}

/** Fits the linear model to names and labelled titles. The same rows give the same model. */
export function fitSecondOpinion(labelled: readonly LabelledRow[], epochs = EPOCHS): LinearModel {
  const random = createRandom();
  const starts = labelled.map(({ row }) => (row.title ?? '').split(' ').slice(0, 2).join(' '));
  const examples = [...nameExamples(random, starts), ...titleExamples(labelled)];
  const model = {
    weights: new Float32Array(WEIGHT_COUNT),
    bias: Array.from({ length: CLASS_COUNT }, () => 0),
  };
  const squares = new Float32Array(model.weights.length);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(examples, random);
    for (const example of examples) learn(example, model, squares);
  }
  return { ...model, scale: 1 };
}

/** Rounds a model's weights to one byte each. */
export function quantised({ weights, bias }: LinearModel): LinearModel & { weights: Int8Array } {
  const all = Array.from(weights);
  const scale = all.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / MAX_WEIGHT;
  return {
    weights: Int8Array.from(all, (weight) => Math.round(weight / scale)),
    scale,
    bias: bias.map((each) => Number(each.toFixed(4))),
  };
}
