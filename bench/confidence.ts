import type { Sharp } from 'sharp';
import { mean } from './statistics.ts';

/**
 * Corruptions of a photo and its reference. On intact photos a model may not fail at all, which would say
 * nothing about its confidence.
 */
export const CORRUPTIONS: readonly {
  name: string;
  photo(photo: Sharp): Sharp;
  mask(mask: Sharp): Sharp;
}[] = [
  { name: 'rotated', photo: (photo) => photo.rotate(90), mask: (mask) => mask.rotate(90) },
  { name: 'upside down', photo: (photo) => photo.flip(), mask: (mask) => mask.flip() },
  { name: 'blurred', photo: (photo) => photo.blur(6), mask: (mask) => mask },
  { name: 'dark', photo: (photo) => photo.linear(0.18, 0), mask: (mask) => mask },
  { name: 'washed out', photo: (photo) => photo.linear(0.18, 170), mask: (mask) => mask },
];

/** A model's confidence in a cut-out, and whether it is right. */
export interface Prediction {
  /** Of the photo. */
  kind: string;
  confidence: number;
  isRight: boolean;
}

/** Counts the failures, and those among the least confident `share` of all. */
export function countFailures(predictions: readonly Prediction[], share: number) {
  const byConfidence = [...predictions].sort((a, b) => a.confidence - b.confidence);
  const lowest = byConfidence.slice(0, Math.round(share * predictions.length));
  const failures = (list: readonly Prediction[]) => list.filter(({ isRight }) => !isRight).length;
  return { found: failures(lowest), all: failures(predictions) };
}

/** What was predicted for a group of cut-outs, and what is true. */
export interface Calibration {
  images: number;
  /** Mean confidence. */
  predicted: number;
  /** Share of cut-outs that are right. */
  observed: number;
}

/** Compares confidence with the truth, per kind of photo. */
export function calibrationByKind(predictions: readonly Prediction[]): Map<string, Calibration> {
  const kinds = new Map<string, Prediction[]>();
  for (const one of predictions) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  return new Map(
    [...kinds].map(([kind, own]) => [
      kind,
      {
        images: own.length,
        predicted: mean(own.map(({ confidence }) => confidence)),
        observed: mean(own.map(({ isRight }) => Number(isRight))),
      },
    ]),
  );
}
