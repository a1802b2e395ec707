import { z } from 'zod';
import { type ImageForm, printable } from '../http/image-body.ts';
import { parse } from '../http/parse.ts';
import { asProblem, problemBody } from '../http/problem-response.ts';
import { type Call, json, type Reply, type Route, route } from '../http/route.ts';
import { Problem } from '../platform/problem.ts';
import { classify, type ImageEvidence } from '../taxonomy/classify.ts';
import { OptionsQuery, OptionsResponse, options } from '../taxonomy/dictionary/options.ts';
import {
  BatchItem,
  BatchRequest,
  ClassifyForm,
  ClassifyOptions,
  ClassifyRequest,
} from '../taxonomy/request-schema.ts';
import {
  type Classification,
  ClassifyBatchResponse,
  ClassifyResponse,
} from '../taxonomy/response-schema.ts';
import { sendDocument } from './document.ts';
import type { ImageRequests } from './removal/image-requests.ts';

export interface TaxonomyDeps {
  work: Pick<ImageRequests, 'view'>;
  /** The bytes of a JSON member `image_base64`, or nothing where there is none; throws a Problem. */
  readImage(body: unknown): Uint8Array | undefined;
}

/** Below this a photo shows nothing, pixels of the shorter side. */
const LEAST_SIDE = 32;
/** Items of a batch whose photos are under way at a time: a batch must not fill the queue. */
const AT_ONCE = 4;

const DEFAULTS = ClassifyOptions.parse({});

async function see(
  { work }: TaxonomyDeps,
  image: Uint8Array | undefined,
  call: Call,
): Promise<ImageEvidence | undefined> {
  if (!image) return undefined;
  const { probabilities, colors, width, height, hasAlpha, model } = await work.view(image, call);
  if (Math.min(width, height) < LEAST_SIDE) {
    throw new Problem(
      'unprocessable-image',
      `The image is ${width} × ${height} pixels; each side needs at least ${LEAST_SIDE}`,
    );
  }
  return { probabilities, colors, width, height, hasAlpha, model };
}

const notJson = (part: string) =>
  new Problem('invalid-request', `The part "${part}" is not JSON`, {
    errors: [{ pointer: `/${part}`, detail: 'is not JSON' }],
  });

/** In a multipart form, `attributes` and `options` come as text that holds JSON. */
function readParts({ fields, via }: ImageForm): unknown {
  if (via === 'json') return fields;
  const read = ([name, value]: [string, unknown]) => {
    try {
      return [name, JSON.parse(String(value))];
    } catch {
      throw notJson(printable(name));
    }
  };
  return Object.fromEntries(Object.entries(fields).map(read));
}

async function classifyOne(deps: TaxonomyDeps, form: ImageForm, call: Call): Promise<Reply> {
  const { attributes, options: chosen = DEFAULTS } = parse(ClassifyForm, readParts(form), 'body');
  if (!form.image && !attributes) {
    throw new Problem('invalid-request', 'Send an image, `attributes` or both', {
      errors: [{ pointer: '', detail: 'has neither an image nor `attributes`' }],
    });
  }
  const image = await see(deps, form.image, call);
  const { requestId } = call;
  const answer = classify({ attributes, image, options: chosen, fallbackId: requestId });
  return json({ requestId, ...answer }, { 'cache-control': 'no-store' });
}

const idOf = (item: unknown): string | null => {
  const parsed = z.object({ id: z.string() }).safeParse(item);
  return parsed.success ? parsed.data.id : null;
};

/** One item's answer, or the problem that it alone has. */
async function classifyItem(
  deps: TaxonomyDeps,
  item: unknown,
  index: number,
  chosen: ClassifyOptions,
  call: Call,
): Promise<object> {
  try {
    const { id, attributes } = parse(BatchItem, item, 'item');
    const image = await see(deps, deps.readImage(item), call);
    const answer: Classification = classify({
      attributes,
      image,
      options: chosen,
      fallbackId: id ?? `${call.requestId}-${index}`,
    });
    return { id: id ?? attributes?.id ?? null, ...answer };
  } catch (error) {
    call.signal.throwIfAborted();
    return { id: idOf(item), problem: problemBody(asProblem(error), call.requestId) };
  }
}

/** Does the work for every value, a few at a time; answers in order. */
async function inTurns<T, R>(values: readonly T[], work: (value: T, i: number) => Promise<R>) {
  const results: R[] = [];
  const waiting = values.entries();
  const lane = async () => {
    for (const [i, value] of waiting) results[i] = await work(value, i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

async function classifyBatch(deps: TaxonomyDeps, body: unknown, call: Call): Promise<Reply> {
  const { items, options: chosen = DEFAULTS } = parse(BatchRequest, body, 'body');
  const answers = await inTurns(items, (item, i) => classifyItem(deps, item, i, chosen, call));
  return json({ requestId: call.requestId, items: answers }, { 'cache-control': 'no-store' });
}

const handleClassify =
  (deps: TaxonomyDeps) =>
  async (call: Call): Promise<Reply> => {
    const form = await call.imageForm();
    const isBatch = form.via === 'json' && 'items' in form.fields;
    return isBatch ? classifyBatch(deps, form.fields, call) : classifyOne(deps, form, call);
  };

const MultipartRequest = z.object({
  image: z
    .string()
    .optional()
    .meta({ format: 'binary', description: 'JPEG, PNG or WebP; with alpha, a cut-out' }),
  attributes: z.string().optional().meta({ description: '`FeedAttributes` in JSON' }),
  options: z.string().optional().meta({ description: '`ClassifyOptions` in JSON' }),
});

/** The routes of the garment taxonomy. */
export const taxonomyRoutes = (deps: TaxonomyDeps): Route[] => [
  route<OptionsQuery>({
    method: 'GET',
    path: '/taxonomy/v1/options',
    scope: 'keyless',
    summary: 'The garment dictionary and the options of a profile',
    description:
      'Every word the service knows, in one of six languages. It changes with a release only: keep it, and ask again with `If-None-Match`.',
    query: OptionsQuery,
    answers: {
      200: {
        description: 'The sections asked for',
        content: { 'application/json': OptionsResponse },
        headers: ['ETag', 'Cache-Control', 'Content-Language'],
      },
      304: { description: 'You have this version already' },
    },
    handle: (call) =>
      sendDocument(call, options(call.query), {
        'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
        'content-language': call.query.locale,
      }),
  }),
  route({
    method: 'POST',
    path: '/taxonomy/v1/taxonomy',
    scope: 'taxonomy:classify',
    summary: 'Classify a garment',
    description:
      'Send a photo, what a product feed says of the article, or both; or up to 50 such `items`, each answered by itself. Uncertain is an answer: then only the group is named.',
    imageForm: {
      'multipart/form-data': MultipartRequest,
      'application/json': z.union([ClassifyRequest, BatchRequest]),
    },
    quota: 1,
    answers: {
      200: {
        description: 'What it is, how sure that is, and why',
        content: { 'application/json': z.union([ClassifyResponse, ClassifyBatchResponse]) },
      },
    },
    problems: ['unprocessable-image', 'upstream-failed'],
    handle: handleClassify(deps),
  }),
];
