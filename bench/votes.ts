import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { calibrate } from '../src/look/calibration/calibrate.ts';
import { PARAMS, readModel } from '../src/look/params.ts';
import type { UserProfile } from '../src/look/schema.ts';
import { pmv } from '../test/look/reference/iso-7730.ts';
import { createRandom } from '../test/look/wardrobes.ts';
import { markdownTable } from './markdown.ts';
import { mean, quantile } from './statistics.ts';
import { readVotes, type ThermalVote } from './thermal-votes.ts';

const TABLE = 'ashrae-db-II-public.csv.gz';
/** Votes a person has at least, to be learned from; the prediction of those after the last is judged. */
const MIN_VOTES = 8;
const LEARNED = [0, 1, 3, 5] as const;
const JUDGED_FROM = Math.max(...LEARNED);
/** Rows that the mean error of a group needs to count for a half. */
const PRIOR_ROWS = 200;
const RESAMPLES = 400;

const model = readModel(PARAMS);
/** The engine as if people voted what the heat balance says. */
const balance = readModel({
  ...PARAMS,
  coefficients: PARAMS.coefficients.map((row) =>
    row.key === 'learn.indoorSlope' ? { ...row, value: 1 } : row,
  ),
});

interface Prediction {
  of: ThermalVote;
  predicted: number;
}

const clampVote = (vote: number): number => Math.min(3, Math.max(-3, vote));

const predict = (of: ThermalVote, userProfile?: UserProfile, by = model): number =>
  calibrate(by, { userProfile, feedback: [of.feedback] }).applied[0]?.predictedVote ?? Number.NaN;

/** PMV with air as it moves past a moving person. Source: ISO 7730. */
function publishedPmv({ row }: ThermalVote): number {
  const vr = row.vel + 0.3 * Math.max(0, row.met - 1);
  return pmv({ tdb: row.ta, tr: row.tr, rh: row.rh, vr, met: row.met, clo: row.clo });
}

const groupBy = <T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
};

/** Adds the mean error that the same group has in all other studies. */
function withPrior(
  predictions: readonly Prediction[],
  groupOf: (vote: ThermalVote) => string,
): Prediction[] {
  const groups = groupBy(predictions, ({ of }) => groupOf(of));
  const errorOutside = (group: string, study: string): number => {
    const others = (groups.get(group) ?? []).filter(({ of }) => of.study !== study);
    const errors = others.map(({ of, predicted }) => of.vote - predicted);
    return (mean(errors) * errors.length) / (errors.length + PRIOR_ROWS);
  };
  const known = new Map<string, number>();
  return predictions.map(({ of, predicted }) => {
    const group = groupOf(of);
    const key = `${of.study}|${group}`;
    const error = known.get(key) ?? errorOutside(group, of.study);
    known.set(key, error);
    return { of, predicted: predicted + error };
  });
}

/** Slope of votes over predictions by least squares. */
function slopeOf(predictions: readonly Prediction[]): number {
  const x = mean(predictions.map(({ predicted }) => predicted));
  const y = mean(predictions.map(({ of }) => of.vote));
  const sum = (f: (p: Prediction) => number) => predictions.reduce((total, p) => total + f(p), 0);
  return (
    sum(({ of, predicted }) => (predicted - x) * (of.vote - y)) /
    sum(({ predicted }) => (predicted - x) ** 2)
  );
}

/** Each study predicted with the slope of all others. */
const withSlopeOfOthers = (predictions: readonly Prediction[]): Prediction[] =>
  [...groupBy(predictions, ({ of }) => of.study)].flatMap(([study, own]) => {
    const slope = slopeOf(predictions.filter(({ of }) => of.study !== study));
    return own.map(({ of, predicted }) => ({ of, predicted: slope * predicted }));
  });

/** Predictions for people's later votes by what `/calibrate` learned from their first `count`. */
function afterVotes(people: readonly ThermalVote[][], count: number): Prediction[] {
  return people.flatMap((votes) => {
    const feedback = votes.slice(0, count).map((vote) => vote.feedback);
    const profile = count === 0 ? undefined : calibrate(model, { feedback }).userProfile;
    return votes.slice(JUDGED_FROM).map((of) => ({ of, predicted: predict(of, profile) }));
  });
}

/**
 * Predictions for the same votes by the mean error of all other votes of the person: the most that an
 * offset per person can know.
 */
function afterAllOthers(people: readonly ThermalVote[][]): Prediction[] {
  return people.flatMap((votes) => {
    const errors = votes.map((vote) => vote.vote - predict(vote));
    const total = errors.reduce((sum, error) => sum + error, 0);
    return votes.slice(JUDGED_FROM).map((of, i) => {
      const others = total - (errors[i + JUDGED_FROM] ?? 0);
      // Shrunk as by noise of 1.1 votes² and persons that differ by 0.07 votes².
      return { of, predicted: predict(of) + others / (votes.length - 1 + 16) };
    });
  });
}

interface Sums {
  rows: number;
  error: number;
  exact: number;
  bias: number;
}

const scoreOf = (sums: readonly Sums[]) => {
  const total = (key: keyof Sums) => sums.reduce((sum, part) => sum + part[key], 0);
  const rows = total('rows');
  return { mae: total('error') / rows, exact: total('exact') / rows, bias: total('bias') / rows };
};

const sumsOf = (predictions: readonly Prediction[]): Sums => {
  const sums = { rows: 0, error: 0, exact: 0, bias: 0 };
  for (const { of, predicted } of predictions) {
    const said = clampVote(predicted);
    sums.rows += 1;
    sums.error += Math.abs(said - of.vote);
    sums.exact += Math.round(said) === Math.round(of.vote) ? 1 : 0;
    sums.bias += said - of.vote;
  }
  return sums;
};

/** One row of the table: 95 % intervals by drawing people, with all their votes, again and again. */
function rowOf(name: string, predictions: readonly Prediction[]): string[] {
  const byPerson = groupBy(predictions, ({ of }) => of.person ?? `${of.study} ${of.row.ta}`);
  const people = [...byPerson.values()].map(sumsOf);
  const { next: random } = createRandom(7);
  const draws = Array.from({ length: RESAMPLES }, () =>
    scoreOf(people.map(() => people[Math.floor(random() * people.length)]!)),
  );
  const { mae, exact, bias } = scoreOf(people);
  const within = (key: 'mae' | 'exact') => {
    const values = draws.map((draw) => draw[key]);
    return `${quantile(values, 0.025).toFixed(2)} – ${quantile(values, 0.975).toFixed(2)}`;
  };
  return [
    name,
    String(predictions.length),
    `${mae.toFixed(3)} (${within('mae')})`,
    `${exact.toFixed(3)} (${within('exact')})`,
    bias.toFixed(2),
  ];
}

/** Everything that is told of the votes, row by row. */
function rowsOf(votes: readonly ThermalVote[]): string[][] {
  const all = (predictOne: (of: ThermalVote) => number): Prediction[] =>
    votes.map((of) => ({ of, predicted: predictOne(of) }));
  const told = all((of) => predict(of));
  const inBalance = all((of) => predict(of, undefined, balance));
  const people = [...groupBy(votes, ({ person }) => person ?? '')]
    .filter(([person, own]) => person !== '' && own.length >= MIN_VOTES)
    .map(([, own]) => own);
  const later = people.flatMap((own) => own.slice(JUDGED_FROM));
  const groups = (title: string, keyOf: (vote: ThermalVote) => string) =>
    [...groupBy(told, ({ of }) => keyOf(of))]
      .filter(([, own]) => own.length >= PRIOR_ROWS)
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([name, own]) => rowOf(`${title}: ${name}`, own));
  return [
    rowOf(
      'always neutral',
      all(() => 0),
    ),
    rowOf('PMV of ISO 7730', all(publishedPmv)),
    rowOf('heat balance', inBalance),
    rowOf('its slope fitted to the other studies', withSlopeOfOthers(inBalance)),
    rowOf('/calibrate, a new person', told),
    rowOf(
      'and the error of the season in other studies',
      withPrior(told, (of) => of.season),
    ),
    rowOf(
      'and that of the climate',
      withPrior(told, (of) => of.climate),
    ),
    rowOf(
      'and that of the building',
      withPrior(told, (of) => of.building),
    ),
    ...groups('season', (of) => of.season),
    ...groups('building', (of) => of.building),
    ...groups('climate', (of) => of.climate),
    rowOf(
      'later votes: always neutral',
      later.map((of) => ({ of, predicted: 0 })),
    ),
    ...LEARNED.map((count) => rowOf(`later votes after ${count}`, afterVotes(people, count))),
    rowOf('later votes after all others', afterAllOthers(people)),
  ];
}

const HEADER = ['votes', 'n', 'mean error (95 %)', 'exact (95 %)', 'bias'];

/** Compares predicted votes with those of people in buildings. */
export async function run(argv: string[]): Promise<void> {
  const folder = join('..', 'shared', 'validation', 'comfort');
  const { file, json } = new Command('bench votes')
    .description('Predicted votes against those of the ASHRAE Global Thermal Comfort Database II.')
    .option('--file <csv.gz>', 'the table of the database', join(folder, TABLE))
    .option('--json', 'one JSON document', false)
    .parse(argv, { from: 'user' })
    .opts<{ file: string; json: boolean }>();
  if (!existsSync(file)) {
    console.log(`Nothing is measured: ${file} is missing (doi 10.6078/D1F671 has the data).`);
    return;
  }
  const rows = rowsOf(await readVotes(file));
  console.log(json ? JSON.stringify(rows) : markdownTable([HEADER, ...rows]));
}
