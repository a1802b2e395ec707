import { Option } from 'commander';
import type { Operation } from '../../../packages/client/src/client.ts';
import { argument } from './arguments.ts';

/** Repeated here so that `--help` loads no schema. */
const OPERATIONS = [
  'remove-background',
  'classify',
  'separate',
] as const satisfies readonly Operation[];

/** Parses `remove-background,classify`. Throws an error that lists the operations. */
function parseOperations(text: string): Operation[] {
  const words = text.split(',').map((word) => word.trim());
  const operations = OPERATIONS.filter((name) => words.includes(name));
  if (operations.length === words.length) return operations;
  throw new Error(`The operations are ${OPERATIONS.join(', ')}`);
}

/** Creates `--operations`. */
export const operationsOption = (): Option =>
  new Option('--operations <list>', `what to do with each image: ${OPERATIONS.join(',')}`)
    .argParser(argument(parseOperations))
    .default(['remove-background'], 'remove-background');
