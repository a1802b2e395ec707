import { LOCALES } from '../src/taxonomy/dictionary/schema.ts';
import type { FeedAttributes } from '../src/taxonomy/request-schema.ts';
import { classifyText, describeNaming } from '../src/taxonomy/text/classify-text.ts';
import { type ConfidenceModel, probabilityOf } from '../src/taxonomy/text/confidence.ts';
import { FEATURES, type Feature, type Features } from '../src/taxonomy/text/features.ts';
import type { LinearModel } from '../src/taxonomy/text/second-opinion.ts';
import { readFeedRows } from '../test/taxonomy/feed-rows.ts';
import { composedRows } from './composed-titles.ts';
import { fitSecondOpinion } from './fit-second-opinion.ts';
import { type LabelledRow, readLabelledRows, readWritten, WRITTEN_SETS } from './titles.ts';

/** How a category was named, whether it is right, and how much the example counts. */
interface Example {
  features: Features;
  isRight: boolean;
  weight: number;
}

/** The direction in which a feature may move confidence, where that is known. */
const SIGNS: Readonly<Partial<Record<Feature, 1 | -1>>> = {
  openCompound: -1,
  description: -1,
  otherLanguage: -1,
  falseFriend: -1,
  rivals: -1,
  rivalsNoGarment: -1,
  coverage: 1,
  typeAgrees: 1,
  support: 1,
};

/** Where the labelled rows say little, weights stay near this judgement; elsewhere near 0. */
const PRIORS: Readonly<Partial<Record<Feature, number>>> = {
  openCompound: -2,
  otherLanguage: -1.5,
  falseFriend: -2,
  rivals: -2,
  rivalsNoGarment: -1,
  description: -1,
  support: 1,
};

/**
 * Titles whose noun no lexicon has are rare in the labelled rows and frequent in the world. Each labelled title is
 * therefore used once more without its noun; together these count as this share of all titles.
 */
const UNKNOWN_NOUNS_SHARE = 0.03;
/** A composed title counts less than a shop's. */
const COMPOSED_WEIGHT = 0.3;
const RIDGE = 0.5;
const STEPS = 1500;
const STEP = 2;

/** The title without the words that named the category. */
function withoutNoun(row: FeedAttributes, id: string): FeedAttributes | undefined {
  const spans = (classifyText(row).matches.get(id) ?? []).filter(({ field }) => field === 'title');
  const [first] = spans;
  if (!first || row.title === undefined) return undefined;
  const title = `${row.title.slice(0, first.span[0])} ${row.title.slice(first.span[1])}`.trim();
  return { ...row, title };
}

function exampleOf(
  row: FeedAttributes,
  truth: LabelledRow,
  weight: number,
  model: LinearModel,
): Example[] {
  const naming = describeNaming(row, model);
  if (!naming) return [];
  const isRight = truth.isGarment && truth.leaves.has(naming.id);
  return [{ features: naming.features, isRight, weight }];
}

function examplesOf(labelled: readonly LabelledRow[], model: LinearModel): Example[] {
  return labelled.flatMap((truth) => {
    const naming = describeNaming(truth.row, model);
    const bare = naming && withoutNoun(truth.row, naming.id);
    return [
      ...exampleOf(truth.row, truth, 1, model),
      ...(bare ? exampleOf(bare, truth, UNKNOWN_NOUNS_SHARE, model) : []),
    ];
  });
}

/** The hand-written rows the lexicon was tuned with: names to learn, but too easy to judge confidence by. */
const tunedRows = (): LabelledRow[] =>
  LOCALES.flatMap((locale) =>
    readFeedRows(locale).tuned.map(({ row, region, leaf }) => ({
      set: `${locale}, hand-written`,
      row,
      leaves: new Set([leaf]),
      regions: new Set([region]),
      isGarment: true,
      mayBeNone: false,
    })),
  );

/** Of the written sets, the later ones judge. */
const FITTED_SETS = 20;

/** Titles that only the linear model learns from: the words in them are known by now, so they are too easy for confidence. */
const learntRows = (): LabelledRow[] => [
  ...tunedRows(),
  ...WRITTEN_SETS.slice(0, FITTED_SETS).flatMap(readWritten),
];

const clamped = (name: Feature, weight: number): number => {
  const sign = SIGNS[name];
  return sign === undefined || Math.sign(weight) === sign ? weight : 0;
};

/** Fits a logistic model by gradient descent with a ridge penalty and the signs of the features. */
function fitModel(examples: readonly Example[]): ConfidenceModel {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  let model: { intercept: number; weights: Record<string, number> } = {
    intercept: 3,
    weights: Object.fromEntries(FEATURES.map((name) => [name, 0])),
  };
  for (let step = 0; step < STEPS; step++) {
    const gradients = new Map<string, number>();
    let intercept = 0;
    for (const { features, isRight, weight } of examples) {
      const error = weight * ((isRight ? 1 : 0) - probabilityOf(features, model));
      intercept += error;
      for (const name of FEATURES) {
        gradients.set(name, (gradients.get(name) ?? 0) + error * features[name]);
      }
    }
    const next = FEATURES.map((name) => {
      const weight = model.weights[name] ?? 0;
      const gradient = (gradients.get(name) ?? 0) - RIDGE * (weight - (PRIORS[name] ?? 0));
      return [name, clamped(name, weight + (STEP * gradient) / total)] as const;
    });
    model = {
      intercept: model.intercept + (STEP * intercept) / total,
      weights: Object.fromEntries(next),
    };
  }
  const round = (value: number): number => Number(value.toFixed(3));
  return {
    intercept: round(model.intercept),
    weights: Object.fromEntries(FEATURES.map((name) => [name, round(model.weights[name] ?? 0)])),
  };
}

/** The linear model's support of a row counts as that of a model which has not seen the row. */
const FOLDS = 2;

/** Fits the linear model and the confidence of naming by text on the fitting part. @param shared see `readLabelledRows` */
export function fitNaming(shared: string): { opinion: LinearModel; confidence: ConfidenceModel } {
  const titles = readLabelledRows(shared, 'fitting');
  const foldOf = ({ row }: LabelledRow): number => (row.title ?? '').length % FOLDS;
  const examples = Array.from({ length: FOLDS }, (_, fold) => {
    const others = titles.filter((row) => foldOf(row) !== fold);
    const own = titles.filter((row) => foldOf(row) === fold);
    return examplesOf(own, fitSecondOpinion([...others, ...learntRows()]));
  });
  const opinion = fitSecondOpinion([...titles, ...learntRows()]);
  const composed = composedRows('fitting').flatMap((row) =>
    exampleOf(row.row, row, COMPOSED_WEIGHT, opinion),
  );
  return {
    opinion,
    confidence: fitModel([...examples.flat(), ...composed]),
  };
}
