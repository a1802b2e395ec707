import type { RequestHeader } from '../../http/openapi/headers.ts';
import type { OperationDoc } from '../../http/route.ts';
import type { ProblemType } from '../../platform/problem.ts';
import { readTable } from '../../taxonomy/tables.ts';

const wordsOf = <T extends string>(cell: string): T[] => cell.split(' ').filter(Boolean) as T[];

/** What the documents say of an operation, by its id: data/api/operations.tsv. */
export const OPERATIONS: ReadonlyMap<string, OperationDoc> = new Map(
  readTable('api/operations').map(
    ([id = '', problems = '', headers = '', summary = '', description = '']) => [
      id,
      {
        problems: wordsOf<ProblemType>(problems),
        requestHeaders: wordsOf<RequestHeader>(headers),
        summary,
        description,
      },
    ],
  ),
);
