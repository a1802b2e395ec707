import type { OperationText } from '../../http/openapi/document.ts';
import { readTable } from '../../taxonomy/tables.ts';

/** What the documents say of an operation, by its id: data/api/operations.tsv. */
export const TEXTS: ReadonlyMap<string, OperationText> = new Map(
  readTable('api/operations').map(([id = '', summary = '', description = '']) => [
    id,
    { summary, description },
  ]),
);
