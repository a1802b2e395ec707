import type { ComputationName } from './compute.ts';

/** Objects of a body, most of them items of its wardrobe, that add the work of an outfit from a few items. */
const OBJECTS_PER_TURN: Readonly<Record<'day' | 'trip' | 'others', number>> = {
  day: 150,
  trip: 300,
  others: 400,
};
const MAX_DAYS = 14;

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Returns the days of a trip; the most there may be if its names are escaped. */
const daysIn = (body: string): number =>
  body.includes('\\u') ? MAX_DAYS : Math.min(MAX_DAYS, Math.max(1, countOf(body, '"date"')));

/**
 * Predicts the work of a computation from its unread body, in turns: one is an outfit from a few items, about 50 ms of
 * CPU. The body cannot make it look smaller. docs/adr/0086-fairness-in-work.md has the measurements.
 */
export function predictedTurns(name: ComputationName, body = ''): number {
  const per = OBJECTS_PER_TURN[name === 'day' || name === 'trip' ? name : 'others'];
  const turns = 1 + countOf(body, '{') / per;
  return name === 'trip' ? daysIn(body) * turns : turns;
}
