import type { Target } from './target.ts';

interface Entry {
  /** What is read. */
  reads: string;
  load(): Promise<Target>;
  /** Longer inputs are not made. */
  maxBytes: number;
  isAsync?: true;
}

// biome-ignore format: a table reads best aligned
const ENTRIES = {
  sniff:               { maxBytes: 256,  reads: 'formats and headers of images',   load: () => import('./sniff.ts') },
  'data-url':          { maxBytes: 512,  reads: 'base64 and data URLs',            load: () => import('./data-url.ts') },
  xml:                 { maxBytes: 1024, reads: 'rows of RSS and Atom',            load: () => import('./xml.ts') },
  csv:                 { maxBytes: 512,  reads: 'rows of CSV and TSV',             load: () => import('./csv.ts') },
  ndjson:              { maxBytes: 512,  reads: 'rows of NDJSON',                  load: () => import('./ndjson.ts') },
  'batch-rows':        { maxBytes: 512,  reads: 'rows of a batch, and going on',   load: () => import('./batch-rows.ts'), isAsync: true },
  feed:                { maxBytes: 512,  reads: 'whole feeds, and their export',   load: () => import('./feed.ts'), isAsync: true },
  'canonical-json':    { maxBytes: 512,  reads: 'canonical JSON, signed targets',  load: () => import('./canonical-json.ts') },
  'idempotency-key':   { maxBytes: 300,  reads: 'Idempotency-Key',                 load: () => import('./idempotency-key.ts') },
  prefer:              { maxBytes: 200,  reads: 'Prefer',                          load: () => import('./prefer.ts') },
  multipart:           { maxBytes: 512,  reads: 'files of a form, their names',    load: () => import('./multipart.ts'), isAsync: true },
  options:             { maxBytes: 256,  reads: 'wishes, ours and remove.bg\'s',   load: () => import('./options.ts') },
  schedule:            { maxBytes: 64,   reads: 'times of a feed (cron)',          load: () => import('./schedule.ts') },
  credentials:         { maxBytes: 256,  reads: 'keys, cookies, ids of requests',  load: () => import('./credentials.ts'), isAsync: true },
  'webhook-signature': { maxBytes: 256,  reads: 'headers of signed messages',      load: () => import('./webhook-signature.ts') },
  'file-link':         { maxBytes: 256,  reads: 'queries of links to files',       load: () => import('./file-link.ts') },
  url:                 { maxBytes: 128,  reads: 'links and addresses to fetch',    load: () => import('./url.ts') },
  'product-words':     { maxBytes: 256,  reads: 'words of a product',              load: () => import('./product-words.ts') },
} as const satisfies Readonly<Record<string, Entry>>;

export type TargetName = keyof typeof ENTRIES;

/** Every parser that is fuzzed, by the name of its file. */
export const TARGETS: Readonly<Record<TargetName, Entry>> = ENTRIES;

export const isTargetName = (name: string): name is TargetName => Object.hasOwn(TARGETS, name);
