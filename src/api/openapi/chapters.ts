import type { Chapter } from '../../http/openapi/document.ts';

/** The chapters of the OpenAPI document: the first whose prefix fits has the route. */
// biome-ignore format: a table reads best aligned
export const CHAPTERS: readonly Chapter[] = [
  { prefix: '/bg/',                  name: 'Background removal', description: 'A garment photo in, its cut-out back, in one request' },
  { prefix: '/taxonomy/',            name: 'Taxonomy',           description: 'The garment dictionary, and classification of photos and feed attributes' },
  { prefix: '/look/',                name: 'Look engine',        description: 'Outfits that are warm enough; stateless, every request has all its inputs' },
  { prefix: '/intake/v1/jobs',       name: 'Jobs',               description: 'Single images, processed later' },
  { prefix: '/intake/v1/batches',    name: 'Batches',            description: 'Catalogues: any number of images, uploaded row by row' },
  { prefix: '/intake/v1/feeds',      name: 'Feeds',              description: 'Product feeds of retailers, exported again with new pictures' },
  { prefix: '/intake/v1/sources',    name: 'Sources',            description: 'Folders and buckets whose new photos are cut out' },
  { prefix: '/intake/v1/rules',      name: 'Rule packs',         description: 'Rules of marketplaces that pictures are judged by' },
  { prefix: '/intake/v1/presets',    name: 'Presets',            description: 'Options of cut-outs under a name' },
  { prefix: '/intake/v1/categories', name: 'Learned categories', description: 'What people have decided about the categories of a shop' },
  { prefix: '/intake/v1/webhooks',   name: 'Webhooks',           description: 'Signed messages at the end of jobs, batches and runs' },
  { prefix: '/intake/v1/',           name: 'Usage and files',    description: 'Limits of a key, and files by signed link' },
  { prefix: '/compat/removebg/',     name: 'remove.bg',          description: 'The API of remove.bg, for its existing clients' },
  { prefix: '/compat/rembg/',        name: 'rembg',              description: 'The HTTP server of rembg, for its existing clients' },
  { prefix: '/compat/withoutbg/',    name: 'withoutBG',          description: 'The HTTP API of withoutBG, for its existing clients' },
  { prefix: '/access/',            name: 'Access',             description: 'How a client gets its key' },
  { prefix: '/account/',             name: 'Account',            description: 'A client\'s own keys, usage and requests' },
  { prefix: '/console/',             name: 'Console',            description: 'Sign-in of the web console' },
  { prefix: '/',                     name: 'Service',            description: 'Health, metrics and problem types' },
];
