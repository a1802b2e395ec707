import { describe, expect, test } from 'vitest';
import { PARTS } from '../../../../workers/inference/garments/groups.ts';
import { smoothParts } from '../../../../workers/inference/garments/smooth.ts';
import { joinWithMatte, labelParts } from '../../../../workers/inference/garments/subject.ts';
import { drawMap } from './drawn-maps.ts';

/** What cells of one colour make of each other. Every letter is a cell; see `drawMap`. */

const GREY = [120, 120, 120];
const RED = [200, 30, 40];

/** A dress, of which the network takes a few cells for a top. */
const TORN = [
  '................................',
  '................................',
  '........dddddddddddddddd........',
  '........dddddddddddddddd........',
  '........ddddTTTTdddddddd........',
  '........ddddTTTTdddddddd........',
  '........dddddddddddddddd........',
  '........dddddddddddddddd........',
  '........dddddddddddddddd........',
  '........dddddddddddddddd........',
  '................................',
  '................................',
];

function labelsOf(rows: readonly string[], colours: (letter: string) => number[]) {
  const { map, matte } = drawMap(rows, colours);
  const subject = joinWithMatte(map, matte);
  const before = labelParts(subject);
  smoothParts(subject, map.seen);
  return { subject, before, after: labelParts(subject) };
}
const count = (labels: Uint8Array, part: string) =>
  labels.filter((label) => label === PARTS.indexOf(part)).length;

describe('cells that the network is not sure of', () => {
  test('become what is around them if they have its colour', () => {
    const { before, after } = labelsOf(TORN, () => RED);
    expect([count(before, 'top'), count(before, 'dress')]).toEqual([8, 120]);
    expect([count(after, 'top'), count(after, 'dress')]).toEqual([0, 128]);
  });

  test('stay what they are if they have another colour', () => {
    const { after } = labelsOf(TORN, (letter) => (letter === 'T' ? GREY : RED));
    expect([count(after, 'top'), count(after, 'dress')]).toEqual([8, 120]);
  });
});

test('a garment of the same colour, of which the network is sure, keeps its place', () => {
  const rows = TORN.map((row, y) => (y < 6 ? row.replace(/[dT]/g, 't') : row.replace(/d/g, 'r')));
  const { before, after } = labelsOf(rows, () => GREY);
  expect(after).toEqual(before);
});

test('shoes keep their place beside trousers of their colour', () => {
  const rows = TORN.map((row, y) => row.replace(/d/g, 'r').replace(/T/g, y < 5 ? 'r' : 'S'));
  const { before, after } = labelsOf(rows, () => GREY);
  expect(count(before, 'shoes')).toBe(4);
  expect(after).toEqual(before);
});

test('cells of the subject have shares of 1, others stay as they are', () => {
  const { map, matte } = drawMap(TORN);
  const subject = joinWithMatte(map, matte);
  const backdrop = subject.parts.map((plane) => plane[0]!);
  smoothParts(subject, map.seen);
  expect(subject.parts.map((plane) => plane[0]!)).toEqual(backdrop);
  const inside = 5 * subject.width + 14;
  expect(subject.parts.reduce((sum, plane) => sum + plane[inside]!, 0)).toBeCloseTo(1, 5);
});

test('a subject of no cell, and one of a single block, are smoothed without harm', () => {
  for (const rows of [
    ['....', '....'],
    ['dd..', 'dd..'],
  ]) {
    const { subject, before, after } = labelsOf(rows, () => RED);
    expect(after).toEqual(before);
    for (const plane of subject.parts) expect(plane.every(Number.isFinite)).toBe(true);
  }
});
