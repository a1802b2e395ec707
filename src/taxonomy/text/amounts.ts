import { grammarWords } from './lexicon-files.ts';
import type { Token } from './tokens.ts';

/** A number in a text, such as "50 cm", "300ml" or "x100". */
interface Amount {
  count: number;
  /** The letters after it, or the next word; empty at the end. */
  unit: string;
  /** "x100": it counts what is sold. */
  isTimes: boolean;
}

/** Returns the amounts of a text, in its order. */
export const amountsIn = (tokens: readonly Token[]): Amount[] =>
  tokens.flatMap(({ text }, at) => {
    const [, times, digits, letters] = /^(x?)(\d+)([a-z]*)$/.exec(text) ?? [];
    if (!digits) return [];
    const unit = letters || (tokens[at + 1]?.text ?? '');
    return [{ count: Number(digits), unit, isTimes: times === 'x' && !letters }];
  });

/** Whether a unit counts pieces: "12 Stück". */
export const isPieces = (unit: string): boolean => grammarWords('pieces', 'en').has(unit);
