import type { Chapter } from '../../http/openapi/document.ts';
import type { Route } from '../../http/route.ts';

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
// biome-ignore format: a table reads best aligned
const CHAPTERS: readonly (Chapter & { document: DocumentName })[] = [
  { prefix: '/bg/',                   document: 'api',     name: 'Background removal',   description: 'A garment photo in, its cut-out back, in one request' },
  { prefix: '/taxonomy/',             document: 'api',     name: 'Taxonomy',             description: 'The garment dictionary, and classification of photos and feed attributes' },
  { prefix: '/look/',                 document: 'api',     name: 'Look engine',          description: 'Outfits that are warm enough; stateless, every request has all its inputs' },
  { prefix: '/intake/v1/jobs',        document: 'api',     name: 'Jobs',                 description: 'Single images, processed later' },
  { prefix: '/intake/v1/batches',     document: 'api',     name: 'Batches',              description: 'Catalogues: any number of images, uploaded row by row' },
  { prefix: '/intake/v1/feeds',       document: 'feeds',   name: 'Feeds',                description: 'Product feeds of retailers, exported again with new pictures' },
  { prefix: '/intake/v1/sources',     document: 'feeds',   name: 'Sources',              description: 'Folders and buckets whose new photos are cut out' },
  { prefix: '/intake/v1/rules',       document: 'api',     name: 'Rule packs',           description: 'Rules of marketplaces that pictures are judged by' },
  { prefix: '/intake/v1/presets',     document: 'api',     name: 'Presets',              description: 'Options of cut-outs under a name' },
  { prefix: '/intake/v1/categories',  document: 'feeds',   name: 'Learned categories',   description: 'What people have decided about the categories of a shop' },
  { prefix: '/intake/v1/webhooks',    document: 'api',     name: 'Webhooks',             description: 'Signed messages at the end of jobs, batches and runs' },
  { prefix: '/intake/v1/',            document: 'api',     name: 'Usage and files',      description: 'Limits of a key, and files by signed link' },
  { prefix: '/compat/removebg/',      document: 'compat',  name: 'remove.bg',            description: 'The API of remove.bg, for its existing clients' },
  { prefix: '/compat/rembg/',         document: 'compat',  name: 'rembg',                description: 'The HTTP server of rembg, for its existing clients' },
  { prefix: '/compat/withoutbg/',     document: 'compat',  name: 'withoutBG',            description: 'The HTTP API of withoutBG, for its existing clients' },
  { prefix: '/access/',               document: 'account', name: 'Access',               description: 'How a client gets its key' },
  { prefix: '/account/',              document: 'account', name: 'Account',              description: 'A client\'s own keys, usage and requests' },
  { prefix: '/console/',              document: 'service', name: 'Console',              description: 'What only the web console uses: its sign-in, and photos of other sites' },
  { prefix: '/',                      document: 'service', name: 'Service',              description: 'Health, metrics and problem types' },
];

const chapterOf = ({ path }: Route) => CHAPTERS.find(({ prefix }) => path.startsWith(prefix))!;

export const documentOf = (route: Route): DocumentName => chapterOf(route).document;

export const chaptersOf = (routes: readonly Route[]): Chapter[] => {
  const used = new Set<Chapter>(routes.map(chapterOf));
  return CHAPTERS.filter((chapter) => used.has(chapter));
};
