import type { Target } from './target.ts';

interface Entry {
  /** What the target parses. */
  description: string;
  load(): Promise<Target>;
  /** Maximum length of generated inputs. */
  maxBytes: number;
  isAsync?: true;
}

// biome-ignore format: a table reads best aligned
const ENTRIES = {
  sniff:               { maxBytes: 256,  description: 'formats and headers of images',   load: () => import('./sniff.ts') },
  'data-url':          { maxBytes: 512,  description: 'base64 and data URLs',            load: () => import('./data-url.ts') },
  xml:                 { maxBytes: 1024, description: 'rows of RSS and Atom',            load: () => import('./xml.ts') },
  csv:                 { maxBytes: 512,  description: 'rows of CSV and TSV',             load: () => import('./csv.ts') },
  ndjson:              { maxBytes: 512,  description: 'rows of NDJSON',                  load: () => import('./ndjson.ts') },
  'batch-rows':        { maxBytes: 512,  description: 'rows of a batch, and resuming',   load: () => import('./batch-rows.ts'), isAsync: true },
  feed:                { maxBytes: 512,  description: 'whole feeds, and their export',   load: () => import('./feed.ts'), isAsync: true },
  'canonical-json':    { maxBytes: 512,  description: 'canonical JSON, signed targets',  load: () => import('./canonical-json.ts') },
  'idempotency-key':   { maxBytes: 300,  description: 'Idempotency-Key',                 load: () => import('./idempotency-key.ts') },
  prefer:              { maxBytes: 200,  description: 'Prefer',                          load: () => import('./prefer.ts') },
  multipart:           { maxBytes: 512,  description: 'files of a form, their names',    load: () => import('./multipart.ts'), isAsync: true },
  options:             { maxBytes: 256,  description: 'options, ours and remove.bg\'s',  load: () => import('./options.ts') },
  schedule:            { maxBytes: 64,   description: 'times of a feed (cron)',          load: () => import('./schedule.ts') },
  credentials:         { maxBytes: 256,  description: 'API keys, cookies, request ids',  load: () => import('./credentials.ts'), isAsync: true },
  'file-link':         { maxBytes: 256,  description: 'queries of file links',           load: () => import('./file-link.ts') },
  url:                 { maxBytes: 128,  description: 'links and addresses to fetch',    load: () => import('./url.ts') },
  'product-words':     { maxBytes: 256,  description: 'words of a product',              load: () => import('./product-words.ts') },
} as const satisfies Readonly<Record<string, Entry>>;

export type TargetName = keyof typeof ENTRIES;

/** Every fuzz target, by the name of its file. */
export const TARGETS: Readonly<Record<TargetName, Entry>> = ENTRIES;

export const isTargetName = (name: string): name is TargetName => Object.hasOwn(TARGETS, name);
