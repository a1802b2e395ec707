import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { type Config, readDeclaration } from '../../platform/config.ts';

/** How often a source is listed unless its declaration says otherwise. */
const DEFAULT_SECONDS = 30;
const MAX_SOURCES = 200;

const S3 = z.strictObject({
  kind: z.literal('s3'),
  bucket: z.string().min(3).max(63),
  /** What all keys start with; they are taken as they are, so a folder ends with `/`. */
  prefix: z.string().max(512).default(''),
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  region: z.string().min(1).optional(),
  credentials: z
    .strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) })
    .optional(),
});

const Folder = z.strictObject({
  kind: z.literal('folder'),
  path: z
    .string()
    .refine(isAbsolute, 'must be an absolute path')
    .transform((path) => resolve(path)),
});

const Place = z.discriminatedUnion('kind', [S3, Folder]);
export type Place = z.infer<typeof Place>;

const DeclaredSource = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and hyphens'),
  /** Whose keys may use it. */
  client: z.string().min(1),
  from: Place,
  to: Place,
  everySeconds: z.number().min(1).max(86_400).default(DEFAULT_SECONDS),
});

/** A place that a client may import from, as the operator has declared it. */
export type DeclaredSource = z.infer<typeof DeclaredSource>;

const SourcesFile = z.strictObject({ sources: z.array(DeclaredSource).max(MAX_SOURCES) });

/** Resolves links, as far as the path exists here; the gateway may not have the folder. */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realFolder(dirname(path)), basename(path));
  }
}

/** Returns a text that is a prefix of those of all places inside, or of none. */
const extentOf = (place: Place): string =>
  place.kind === 's3'
    ? `s3 ${place.endpoint ?? ''} ${place.bucket}/${place.prefix}`
    : `folder ${join(realFolder(place.path), sep)}`;

const overlap = (one: Place, other: Place): boolean => {
  const [first, second] = [extentOf(one), extentOf(other)];
  return first.startsWith(second) || second.startsWith(first);
};

/** Returns the reasons why sources cannot be used together, each with a pointer. */
function conflictsOf(sources: readonly DeclaredSource[]): string[] {
  const conflicts: string[] = [];
  for (const [i, { id, to }] of sources.entries()) {
    if (sources.findIndex((other) => other.id === id) < i) {
      conflicts.push(`/sources/${i}/id: "${id}" is the id of another source`);
    }
    for (const [j, other] of sources.entries()) {
      if (overlap(to, other.from)) {
        const from = i === j ? 'its own "from"' : `"from" of /sources/${j}`;
        conflicts.push(
          `/sources/${i}/to: overlaps ${from}: results would be taken for photos; use a place beside it`,
        );
      }
      if (j < i && overlap(to, other.to)) {
        conflicts.push(
          `/sources/${i}/to: overlaps "to" of /sources/${j}: results would replace each other`,
        );
      }
    }
  }
  return conflicts;
}

/** Reads the file that declares sources; without one there are none. @throws ConfigError with all errors, by pointer */
export function readDeclaredSources({
  SOURCES_FILE,
  SELVAGE_HOME,
}: Pick<Config, 'SOURCES_FILE' | 'SELVAGE_HOME'>): readonly DeclaredSource[] {
  const path = SOURCES_FILE ?? join(SELVAGE_HOME, 'sources.json');
  if (SOURCES_FILE === undefined && !existsSync(path)) return [];
  const errorsIn = (declared: z.infer<typeof SourcesFile>) => conflictsOf(declared.sources);
  return readDeclaration('SOURCES_FILE', path, SourcesFile, errorsIn).sources;
}
