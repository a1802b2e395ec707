import { z } from 'zod';
import { type Call, type Reply, type Route, route } from '../../http/route.ts';
import type { Clock } from '../../platform/clock.ts';
import { Problem } from '../../platform/problem.ts';
import type { BlobHead, Blobs } from '../../storage/blobs.ts';
import { FILES_PATH, type FileLinks } from '../../storage/file-links.ts';
import { openBlob, storageUnavailable } from '../common-problems.ts';
import { matchesEtag } from '../etag.ts';
import { CUT_OUT_MEDIA } from '../removal/cut-out-response.ts';

/** Maximum lifetime of a presigned link to object storage. */
export const STORAGE_LINK_SECONDS = 300;

const FileQuery = z.object({
  key: z.string(),
  expires: z.string().optional().meta({ description: 'Epoch seconds' }),
  signature: z.string(),
});
type FileQuery = z.infer<typeof FileQuery>;

interface FileDeps {
  blobs: Blobs;
  links: FileLinks;
  now: Clock;
}

const gone = (): Problem => new Problem('gone', 'This file has expired or was erased');

/** Changes only with the file's bytes. */
const etagOf = ({ bytes, modifiedAt, meta }: BlobHead): string =>
  meta.sha256 ? `"${meta.sha256}"` : `W/"${bytes}-${modifiedAt.getTime()}"`;

/**
 * A file that does not expire may change or disappear at any time, so clients must revalidate it.
 */
const cacheControl = (secondsLeft: number | undefined): string =>
  secondsLeft === undefined ? 'private, no-cache' : `private, max-age=${secondsLeft}`;

/** Some files come from retailers: a browser must not run anything in them. */
const SANDBOX_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

async function serveFile({ blobs, links, now }: FileDeps, call: Call<FileQuery>): Promise<Reply> {
  const { query, headers, signal } = call;
  const nowMillis = now();
  const { key, expiresAtSeconds } = links.verify(query, nowMillis);
  const head = await blobs.head(key, signal).catch(storageUnavailable);
  if (!head) throw gone();
  const secondsLeft = expiresAtSeconds && Math.ceil(expiresAtSeconds - nowMillis / 1000);
  const linkSeconds = Math.min(secondsLeft ?? STORAGE_LINK_SECONDS, STORAGE_LINK_SECONDS);
  const location = await blobs.link(key, linkSeconds).catch(storageUnavailable);
  if (location) return { status: 303, headers: { location, 'cache-control': 'private, no-store' } };

  const etag = etagOf(head);
  const caching = { etag, 'cache-control': cacheControl(secondsLeft) };
  if (matchesEtag(headers['if-none-match'], etag)) return { status: 304, headers: caching };
  const body = await openBlob(blobs, key, signal, gone);
  const content = { 'content-type': head.mediaType, 'content-length': String(head.bytes) };
  return { headers: { ...caching, ...content, ...SANDBOX_HEADERS }, body };
}

/**
 * The route that serves files by signed link, without a key: for marketplaces, browsers and mail.
 */
export const fileRoutes = (deps: FileDeps): Route[] => [
  route({
    method: 'GET',
    path: `${FILES_PATH}/:name`,
    scope: 'keyless',
    operationId: 'downloadFile',
    summary: 'Download a file by signed link',
    description:
      'This service creates and signs the links; an altered link is rejected. A link needs no key: anyone who has it can download the file.',
    query: FileQuery,
    responses: {
      200: {
        description: 'The file, with its media type',
        content: CUT_OUT_MEDIA,
        headers: ['ETag', 'Cache-Control'],
      },
      303: { description: 'A temporary link to the file', headers: ['Location'] },
      304: { description: 'The client already has this version' },
    },
    problems: ['not-found', 'gone'],
    handle: (call) => serveFile(deps, call),
  }),
];
