import type { Call, Reply } from '../../../http/route.ts';
import type { ReviewRow } from '../../../intake/review/review-rows.ts';
import { Problem, type ProblemType } from '../../../platform/problem.ts';
import type { ImageRequests } from '../../removal/image-requests.ts';

/** What says that there is no such photo behind the link any more. */
const LINK_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'payload-too-large',
  'unprocessable-image',
  'unsupported-media-type',
];

const photoGone = (why: string, cause?: unknown): Problem =>
  new Problem('gone', `${why}; choose the file of the photo instead`, { cause });

/** A browser must not run anything in a file of a shop. */
const HEADERS = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Fetches the photo of a row from its link, because inputs are deleted soon after.
 * @throws Problem gone if there is no link, or another photo behind it; upstream-failed if it may be there later
 */
export async function readPhoto(
  images: Pick<ImageRequests, 'fetchImage'>,
  { imageUrl, inputSha256 }: ReviewRow,
  call: Call,
): Promise<Reply> {
  if (imageUrl === undefined) {
    throw photoGone('The photo was uploaded, and deleted when its cut-out was made');
  }
  const { file, result } = await images.fetchImage(imageUrl, call).catch((error) => {
    const isGone = error instanceof Problem && LINK_PROBLEMS.includes(error.type);
    throw isGone ? photoGone(error.detail, error) : error;
  });
  if (result.sha256 !== inputSha256) {
    throw photoGone('There is another photo behind the link now');
  }
  const content = { 'content-type': result.mediaType, 'content-length': String(result.bytes) };
  return { headers: { ...HEADERS, ...content }, body: Buffer.from(file) };
}
