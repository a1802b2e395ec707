import { Option } from 'commander';
import type { Operation } from '../../../packages/client/src/client.ts';
import { argument, parseWords } from './arguments.ts';

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
