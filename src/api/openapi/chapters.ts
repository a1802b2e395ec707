import type { Chapter } from '../../http/openapi/document.ts';
import type { Route } from '../../http/route.ts';
import { readTable } from '../../taxonomy/tables.ts';

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
