import type { CutOutReview } from './contract.ts';
import { clientError } from './error.ts';
import { SIGNATURES } from './generated/signatures.ts';
import type { ImageResponse, WithRequestId } from './interface.ts';
import { mediaTypeOf, requestIdOf } from './problem.ts';

/** @throws SelvageError `damaged-answer` */
export function checkMediaType(response: Response, expected: readonly string[]): void {
  const mediaType = mediaTypeOf(response);
  if (expected.includes(mediaType)) return;
  const detail = `The response has ${mediaType || 'no'} media type; expected ${expected.join(' or ')}`;
  throw clientError('damaged-answer', detail, { requestId: requestIdOf(response) });
}

/** @throws SelvageError `damaged-answer` with this detail, if the text is not JSON */
export function parseJson<T>(text: string, detail: string, requestId?: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw clientError('damaged-answer', detail, { requestId, cause });
  }
}

/** Reads a JSON response; one without content is an empty object. @throws SelvageError `damaged-answer` */
export async function readJson<T extends object>(response: Response): Promise<WithRequestId<T>> {
  if (response.status === 204) return { requestId: requestIdOf(response) } as WithRequestId<T>;
  checkMediaType(response, ['application/json']);
  const requestId = requestIdOf(response);
  return {
    ...parseJson<T>(await response.text(), 'The response is not JSON', requestId),
    requestId,
  };
}

/** Whether an image begins as its media type does. */
export const hasSignature = (image: Uint8Array, mediaType: string): boolean =>
  (SIGNATURES[mediaType] ?? []).every(({ at, bytes }) =>
    bytes.every((byte, i) => image[at + i] === byte),
  );

function parseConfidence(text: string | null): number | undefined {
  const value = Number.parseFloat(text ?? '');
  return value >= 0 && value <= 1 ? value : undefined;
}

function parseReview(headers: Headers): CutOutReview | undefined {
  const needed = headers.get('x-cutout-review-needed');
  if (needed === null) return undefined;
  const reasons = headers.get('x-cutout-review') ?? '';
  return { needed: needed === 'true', reasons: reasons.split(/, */).filter(Boolean) };
}

function parseRules(headers: Headers): ImageResponse['rules'] {
  const text = headers.get('x-cutout-rules');
  if (text === null) return undefined;
  const [verdict, failed = ''] = text.split(/; */);
  return { passed: verdict === 'passed', failed: failed.split(/, */).filter(Boolean) };
}

/**
 * Returns a reader of images with one of these media types; without any, of every type known.
 * @throws SelvageError `damaged-answer` if the media type or the first bytes do not match
 */
export const readImage =
  (...expected: string[]) =>
  async (response: Response): Promise<ImageResponse> => {
    checkMediaType(response, expected.length > 0 ? expected : Object.keys(SIGNATURES));
    const mediaType = mediaTypeOf(response);
    const requestId = requestIdOf(response);
    const image = new Uint8Array(await response.arrayBuffer());
    if (!hasSignature(image, mediaType)) {
      const detail = `The response does not begin with the signature of ${mediaType}`;
      throw clientError('damaged-answer', detail, { requestId });
    }
    const { headers } = response;
    const confidence = parseConfidence(headers.get('x-cutout-confidence'));
    const review = parseReview(headers);
    const rules = parseRules(headers);
    const model = headers.get('x-model') ?? undefined;
    const alpha = headers.get('x-cutout-alpha') === 'kept' ? 'kept' : undefined;
    return { image, mediaType, model, confidence, review, rules, alpha, requestId };
  };
