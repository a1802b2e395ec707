import { readdirSync, readFileSync } from 'node:fs';
import type { Chapter, OperationExamples } from '../http/openapi/document.ts';
import type { RequestHeader } from '../http/openapi/headers.ts';
import type { OperationDoc, Route } from '../http/route.ts';
import type { ProblemType } from '../platform/problem.ts';
import { readTable } from '../taxonomy/tables.ts';

/** The documents of the API: generators write a client of what it is needed for. */
// biome-ignore format: a table reads best aligned
export const DOCUMENTS = {
  api:      { path: '/openapi.json',          title: 'Selvage',              about: 'Garment cut-outs, garment words and outfits that are warm enough; jobs, batches and webhooks' },
  feeds:    { path: '/openapi-feeds.json',    title: 'Selvage: feeds',       about: 'Product feeds of retailers, the categories of shops, and folders and buckets whose new photos are cut out' },
  account:  { path: '/openapi-account.json',  title: 'Selvage: account',     about: 'How a client gets its key; its keys, usage and requests' },
  compat:   { path: '/openapi-compat.json',   title: 'Selvage: other doors', about: 'The APIs of remove.bg, rembg and withoutBG, for their existing clients' },
  service:  { path: '/openapi-service.json',  title: 'Selvage: service',     about: 'Health, metrics and problem types, and the sign-in of the console' },
} as const;

export type DocumentName = keyof typeof DOCUMENTS;

/** The chapters of the documents: the first whose prefix fits has the route. */
const CHAPTERS: readonly (Chapter & { document: DocumentName })[] = readTable('api/chapters').map(
  ([prefix = '', document = '', name = '', description = '']) => ({
    prefix,
    document: document as DocumentName,
    name,
    description,
  }),
);

const chapterOf = ({ path }: Route) => CHAPTERS.find(({ prefix }) => path.startsWith(prefix))!;

export const documentOf = (route: Route): DocumentName => chapterOf(route).document;

export const chaptersOf = (routes: readonly Route[]): Chapter[] => {
  const used = new Set<Chapter>(routes.map(chapterOf));
  return CHAPTERS.filter((chapter) => used.has(chapter));
};

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

const FOLDER = new URL('../../data/api/examples/', import.meta.url);

/**
 * Examples for the OpenAPI document by operation id: requests, and what the service responded to them.
 * `test/contract/openapi/answers.processes.test.ts` compares them with real responses, and renews them.
 */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = Object.assign(
  {},
  ...readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))),
);
