import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import { type Call, type Reply, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { FILES_PATH } from '../../storage/file-links.ts';
import { CUT_OUT_MEDIA } from '../removal/cut-out-response.ts';
import { SANDBOX_HEADERS, sendBlob } from '../send-blob.ts';

/** Maximum lifetime of a presigned link to object storage. */
export const STORAGE_LINK_SECONDS = 300;

const FileQuery = z.object({
  key: z.string(),
  expires: z.string().optional().meta({ description: 'Epoch seconds' }),
  signature: z.string(),
});
type FileQuery = z.infer<typeof FileQuery>;

type Services = Pick<Gateway, 'blobs' | 'links' | 'now'>;

const gone = (): Problem => new Problem('gone', 'This file has expired or was erased');

/** How long caches keep a published file, and so serve it after it was erased. */
const PUBLISHED_SECONDS = 300;

/** A link that expires was made for one caller, any other to be published: see ADR 75. */
const cacheControl = (secondsLeft: number | undefined): string =>
  secondsLeft === undefined
    ? `public, max-age=${PUBLISHED_SECONDS}`
    : `private, max-age=${secondsLeft}`;

async function serveFile({ blobs, links, now }: Services, call: Call<FileQuery>): Promise<Reply> {
  const nowMillis = now();
  const { key, expiresAtSeconds } = links.verify(call.query, nowMillis);
  const secondsLeft = expiresAtSeconds && Math.ceil(expiresAtSeconds - nowMillis / 1000);
  const linkSeconds = Math.min(secondsLeft ?? STORAGE_LINK_SECONDS, STORAGE_LINK_SECONDS);
  const method = call.method === 'HEAD' ? 'HEAD' : 'GET';
  const location = await blobs.link(key, linkSeconds, method);
  if (!location) {
    const headers = { 'cache-control': cacheControl(secondsLeft), ...SANDBOX_HEADERS };
    return sendBlob(blobs, key, call, headers, gone);
  }
  if (!(await blobs.head(key, call.signal))) throw gone();
  return { status: 303, headers: { location, 'cache-control': 'private, no-store' } };
}

/** The route that serves files by signed link, without a key: for marketplaces, browsers and mail. */
export const fileRoutes = (services: Services): Route[] => [
  route('downloadFile', `GET ${FILES_PATH}/:name`, {
    scope: 'keyless',
    query: FileQuery,
    responses: {
      200: {
        description: 'The file, with its media type',
        content: CUT_OUT_MEDIA,
        headers: ['Cache-Control', 'ETag', 'Last-Modified'],
      },
      206: {
        description: 'The part that `Range` asks for; several parts are sent as the whole file',
        headers: ['Content-Range'],
      },
      303: {
        description: 'A temporary link to the file, if the installation redirects to its storage',
        headers: ['Location'],
      },
      304: { description: 'The client already has this version' },
    },
    handle: (call) => serveFile(services, call),
  }),
];
