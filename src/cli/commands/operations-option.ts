import { Option } from 'commander';
import type { Operation } from '../../client/client.ts';
import { argument } from './keys.ts';

/** Said here again so that the help does not load what reads them. */
const OPERATIONS = ['remove-background', 'classify'] as const satisfies readonly Operation[];

/** Reads `remove-background,classify`. Throws a sentence that lists what there is. */
function readOperations(text: string): Operation[] {
  const words = text.split(',').map((word) => word.trim());
  const operations = OPERATIONS.filter((name) => words.includes(name));
  if (operations.length === words.length) return operations;
  throw new Error(`There are ${OPERATIONS.join(' and ')}`);
}

/** What is done to each image. */
export const operationsOption = (): Option =>
  new Option('--operations <list>', `of ${OPERATIONS.join(',')}`)
    .argParser(argument(readOperations))
    .default(['remove-background'], 'remove-background');
