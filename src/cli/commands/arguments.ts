import { InvalidArgumentError, Option } from 'commander';
import type { Operation } from '../../../packages/client/src/client.ts';

/** Converts the error of a parser to commander's error for an invalid argument. */
export const argument =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };

export const parseNumber = argument((text): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new Error('It must be a number.');
});

/** Returns a parser of whole numbers. */
export const parseWithin = (min: number, max: number) =>
  argument((text): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Error(`It must be ${min} to ${max}.`);
  });

/** At most so many requests at the same time. */
export const parseJobs = parseWithin(1, 64);

/**
 * Returns a parser of known words, separated by commas.
 * @param explain returns the error's message for those that are not known
 */
export const parseWords =
  <T extends string>(known: readonly T[], explain: (unknown: string) => string) =>
  (text: string): T[] => {
    const words = text.split(',').map((word) => word.trim());
    const unknown = words.filter((word) => !known.some((one) => one === word));
    if (unknown.length > 0) throw new Error(explain(unknown.join(', ')));
    return known.filter((word) => words.includes(word));
  };

/** Repeated here so that `--help` loads no schema. */
const OPERATIONS = [
  'remove-background',
  'classify',
  'separate',
] as const satisfies readonly Operation[];

const parseOperations = parseWords<Operation>(
  OPERATIONS,
  () => `The operations are ${OPERATIONS.join(', ')}`,
);

export const operationsOption = (): Option =>
  new Option('--operations <list>', `what to do with each image: ${OPERATIONS.join(',')}`)
    .argParser(argument(parseOperations))
    .default(['remove-background'], 'remove-background');
