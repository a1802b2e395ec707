import { z } from 'zod';
import { type Call, type Reply, type Route, route } from '../../http/route.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { type BlobHead, BlobMissing, type Blobs } from '../../storage/blobs.ts';
import { FILES_PATH, type FileLinks } from '../../storage/file-links.ts';

/** So long an address of the store's own is good for, at most. */
export const STORE_LINK_SECONDS = 300;

const FileQuery = z.object({
  key: z.string(),
  expires: z.string().optional().meta({ description: 'Epoch seconds' }),
  signature: z.string(),
});
type FileQuery = z.infer<typeof FileQuery>;

export interface FileDeps {
  blobs: Blobs;
  links: FileLinks;
}

const gone = (): Problem => new Problem('gone', 'This file has expired or was erased');

const storeDown = (cause: unknown): never => {
  throw unavailable('The store does not answer; try again', 1, cause);
};

/** The same as long as the bytes are. */
const etagOf = ({ bytes, modifiedAt, meta }: BlobHead): string =>
  meta.sha256 ? `"${meta.sha256}"` : `W/"${bytes}-${modifiedAt.getTime()}"`;

/** A file without an end may change or vanish at any time: who has it asks whether it is the same. */
const cacheControl = (secondsLeft: number | undefined): string =>
  secondsLeft === undefined ? 'private, no-cache' : `private, max-age=${secondsLeft}`;

const isKnown = (headers: Call['headers'], etag: string): boolean => {
  const known = String(headers['if-none-match'] ?? '').split(',');
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
};

/** Files come from retailers as well: none of them may do anything in a browser. */
const HARMLESS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

async function serveFile({ blobs, links }: FileDeps, call: Call<FileQuery>): Promise<Reply> {
  const { query, headers, signal } = call;
  const now = Date.now();
  const { key, expiresAtSeconds } = links.read(query, now);
  const head = await blobs.head(key, signal).catch(storeDown);
  if (!head) throw gone();
  const secondsLeft = expiresAtSeconds && Math.ceil(expiresAtSeconds - now / 1000);
  const linkSeconds = Math.min(secondsLeft ?? STORE_LINK_SECONDS, STORE_LINK_SECONDS);
  const location = await blobs.link(key, linkSeconds).catch(storeDown);
  if (location) return { status: 303, headers: { location, 'cache-control': 'private, no-store' } };

  const etag = etagOf(head);
  const about = { etag, 'cache-control': cacheControl(secondsLeft) };
  if (isKnown(headers, etag)) return { status: 304, headers: about };
  const body = await blobs.open(key, signal).catch((error) => {
    if (error instanceof BlobMissing) throw gone();
    return storeDown(error);
  });
  const content = { 'content-type': head.mediaType, 'content-length': String(head.bytes) };
  return { headers: { ...about, ...content, ...HARMLESS }, body };
}

/** Files for who has a link rather than a key: marketplaces, browsers, mail. */
export const fileRoutes = (deps: FileDeps): Route[] => [
  route({
    method: 'GET',
    path: `${FILES_PATH}/:name`,
    scope: 'keyless',
    summary: 'A file, by a link that was made for it',
    description:
      'Links are made by this service, and only as they are do they lead to a file. They need no key: whoever has one has the file.',
    query: FileQuery,
    answers: {
      200: {
        description: 'The file, with its media type',
        content: { 'image/png': 'binary' },
        headers: ['ETag', 'Cache-Control'],
      },
      303: { description: 'Where the file is for some minutes', headers: ['Location'] },
      304: { description: 'The file the client has already' },
    },
    problems: ['not-found', 'gone'],
    handle: (call) => serveFile(deps, call),
  }),
];
