import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ImageForm } from '../http/image-body.ts';
import { parseJson } from '../http/json-body.ts';
import { parse } from '../http/parse.ts';
import { asProblem, problemBody } from '../http/problem-response.ts';
import { readPrefer } from '../http/request-head.ts';
import { type Call, filePart, json, type Reply, type Route, route } from '../http/route.ts';
import type { Idempotency } from '../intake/idempotency.ts';
import type { LearnedCategories } from '../intake/learned-categories.ts';
import { fieldProblem } from '../platform/problem.ts';
import { classify, type ImageEvidence } from '../taxonomy/classify.ts';
import { createOptions, OptionsQuery, OptionsResponse } from '../taxonomy/dictionary/options.ts';
import type { Learned } from '../taxonomy/learned-schema.ts';
import {
  BatchItem,
  BatchRequest,
  type ClassificationContext,
  ClassifyForm,
  type ClassifyOptions,
  ClassifyRequest,
  type ClassifySettings,
  DEFAULT_SETTINGS,
  type FeedAttributes,
} from '../taxonomy/request-schema.ts';
import {
  type Classification,
  ClassifyBatchResponse,
  ClassifyResponse,
} from '../taxonomy/response-schema.ts';
import { shopPath } from '../taxonomy/shop-path.ts';
import { sendDocument } from './document.ts';
import { checkSides } from './garments.ts';
import { chargedOnce, contentOf } from './intake/idempotent.ts';
import { OUTPUT_SECONDS } from './intake/job-request.ts';
import { JobResponse } from './intake/job-response.ts';
import { grantedPreference, type PreferJob, startPreferredJob } from './intake/prefer-job.ts';
import { type Language, languageHeaders, languageOf } from './language.ts';
import type { ImageRequests } from './removal/image-requests.ts';

interface Classifier extends PreferJob {
  idempotency: Pick<Idempotency, 'claimCharge'>;
  images: Pick<ImageRequests, 'classifyGarment'>;
  /** Returns the bytes of the JSON member `image_base64`, or undefined if there is none. Throws a Problem. */
  readImage(body: unknown): Uint8Array | undefined;
  learnedCategories: Pick<LearnedCategories, 'find'>;
  /** Id and version of the image model. */
  modelVersion: string;
}

/** Items of a batch processed at the same time: a batch must not fill the queue. */
const BATCH_CONCURRENCY = 4;

const PATH = '/taxonomy/v1/taxonomy';

async function analyzeImage(
  { images }: Classifier,
  image: Uint8Array | undefined,
  pointer: string,
  call: Call,
): Promise<ImageEvidence | undefined> {
  if (!image) return undefined;
  const { millis: _, ...evidence } = await images.classifyGarment({ image, pointer }, call);
  checkSides(evidence, pointer);
  return evidence;
}

/** Returns what the client's people have decided about the shop's category of an article. */
async function findLearned(
  { learnedCategories }: Classifier,
  attributes: FeedAttributes | undefined,
  call: Call,
): Promise<Learned | undefined> {
  const path = shopPath(attributes?.product_type);
  if (path === undefined) return undefined;
  return learnedCategories.find(call.client, path);
}

/** Text parts of a multipart form that contain JSON. */
const JSON_PARTS = ['attributes', 'options'];

/** Parses the JSON parts of a form; others stay text, and the schema rejects them. */
function parseFields({ fields, via }: ImageForm): unknown {
  if (via === 'json') return fields;
  const parseField = ([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && JSON_PARTS.includes(name) ? parseJson(value, name) : value,
  ];
  return Object.fromEntries(Object.entries(fields).map(parseField));
}

/** Returns the options with the language of the response, and the headers that name it. */
function settingsFor(options: ClassifyOptions | undefined, call: Call) {
  const language: Language = languageOf(options?.locale, call);
  const settings: ClassifySettings = { ...DEFAULT_SETTINGS, ...options, locale: language.locale };
  return { settings, headers: { 'cache-control': 'no-store', ...languageHeaders(language) } };
}

/** What a job may store of attributes and options, characters of JSON. */
const MAX_CONTEXT_CHARS = 16 * 1024;

/** Responds with a job, or its classification. Nothing if the client prefers no job, or it cannot be one. */
async function classifyAsync(
  classifier: Classifier,
  { image, pointers }: ImageForm,
  classification: ClassificationContext,
  call: Call,
  headers: Record<string, string>,
): Promise<Reply | undefined> {
  if (!image || JSON.stringify(classification).length > MAX_CONTEXT_CHARS) return undefined;
  const asked = readPrefer(call.headers.prefer);
  const prefer = asked && (await grantedPreference(classifier, asked, call));
  if (!prefer) return undefined;
  const request = {
    source: { image, pointer: pointers.image },
    operations: ['classify'] as const,
    options: {},
    outputSeconds: OUTPUT_SECONDS.default,
    classification,
  };
  const { requestId } = call;
  return startPreferredJob(classifier, request, call, { path: PATH, prefer }, (job, applied) =>
    json({ requestId, ...classifier.jobs.classification(job) }, { ...headers, ...applied }),
  );
}

async function classifyOne(classifier: Classifier, form: ImageForm, call: Call): Promise<Reply> {
  const { attributes, options } = parse(ClassifyForm, parseFields(form), 'body');
  if (!form.image && !attributes) {
    throw fieldProblem(
      'invalid-request',
      '',
      'has neither an image nor `attributes`',
      'Send an image, `attributes` or both',
    );
  }
  const { settings, headers } = settingsFor(options, call);
  const learned = await findLearned(classifier, attributes, call);
  const context = { attributes, options: settings, ...(learned && { learned }) };
  const accepted = await classifyAsync(classifier, form, context, call, headers);
  if (accepted) return accepted;
  const image = await analyzeImage(classifier, form.image, form.pointers.image, call);
  const { requestId } = call;
  const classification = classify({ ...context, image, fallbackId: requestId });
  return json({ requestId, ...classification }, headers);
}

const idOf = (item: unknown): string | null => {
  const parsed = z.object({ id: z.string() }).safeParse(item);
  return parsed.success ? parsed.data.id : null;
};

/** Returns the classification of one item, or its problem: other items are not affected. */
async function classifyItem(
  classifier: Classifier,
  item: unknown,
  index: number,
  options: ClassifySettings,
  call: Call,
): Promise<object> {
  try {
    const { id, attributes } = parse(BatchItem, item, 'item');
    const image = await analyzeImage(classifier, classifier.readImage(item), '/image_base64', call);
    const classification: Classification = classify({
      attributes,
      image,
      options,
      learned: await findLearned(classifier, attributes, call),
      fallbackId: id ?? `${call.requestId}-${index}`,
    });
    return { id: id ?? attributes?.id ?? null, ...classification };
  } catch (error) {
    call.signal.throwIfAborted();
    return { id: idOf(item), problem: problemBody(asProblem(error), call.requestId) };
  }
}

/**
 * Maps every value, a few at a time; returns the results in order. If one of them fails, the others in progress
 * end first.
 */
async function mapConcurrently<T, R>(
  values: readonly T[],
  map: (value: T, i: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const pending = values.entries();
  const mapPending = async () => {
    for (const [i, value] of pending) {
      await setImmediate(); // 50 long texts in one go would block the event loop for 100 ms
      results[i] = await map(value, i);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: BATCH_CONCURRENCY }, mapPending));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
  return results;
}

/**
 * The quota of a batch: an item costs a unit if it is classified, or if its client leaves while a worker has its
 * image, as it would alone.
 */
function createBatchQuota(call: Call) {
  const quota = call.takeQuota();
  let charged = 0;
  const settle = async (): Promise<void> => quota?.resize(charged);
  return {
    /** @throws Problem quota-exceeded, upstream-unavailable */
    reserve: async (items: number): Promise<void> => quota?.resize(items),
    charge: () => void charged++,
    /** Refunds the units of the items that were not charged. */
    settle: () => settle().catch((error) => call.log.error({ err: error }, 'quota not refunded')),
    /** Returns the call as the request of one item: it is charged until its quota is refunded. */
    callOfItem: (): Call => ({
      ...call,
      takeQuota() {
        if (!quota) return undefined;
        charged++;
        const refund = async () => {
          charged--;
          await settle();
        };
        return { ...quota, refund };
      },
    }),
  };
}

async function classifyBatch(classifier: Classifier, body: unknown, call: Call): Promise<Reply> {
  const { items, options } = parse(BatchRequest, body, 'body');
  const { settings, headers } = settingsFor(options, call);
  const quota = createBatchQuota(call);
  try {
    await quota.reserve(items.length);
    const results = await mapConcurrently(items, async (item, i) => {
      call.signal.throwIfAborted();
      const result = await classifyItem(classifier, item, i, settings, quota.callOfItem());
      if (!('problem' in result)) quota.charge();
      return result;
    });
    return json({ requestId: call.requestId, items: results }, headers);
  } finally {
    await quota.settle();
  }
}

const handleClassify =
  (classifier: Classifier) =>
  async (call: Call): Promise<Reply> => {
    const form = await call.imageForm({ jsonParts: ['attributes', 'options'] });
    const isBatch = form.via === 'json' && 'items' in form.fields;
    const classify = (own: Call) =>
      isBatch ? classifyBatch(classifier, form.fields, own) : classifyOne(classifier, form, own);
    // A job is stored under its key.
    if (!isBatch && readPrefer(call.headers.prefer)) return classify(call);
    const content = () => contentOf([form.image], [PATH, form.fields]);
    return chargedOnce(classifier.idempotency, call, content, classify);
  };

const MultipartRequest = z.object({
  image: filePart('JPEG, PNG or WebP; an image with alpha counts as a cut-out').optional(),
  attributes: z.string().optional().meta({ description: '`FeedAttributes` as JSON' }),
  options: z.string().optional().meta({ description: '`ClassifyOptions` as JSON' }),
});

const optionsRoute = (modelVersion: string): Route => {
  const optionsDocument = createOptions(modelVersion);
  return route('getTaxonomyOptions', 'GET /taxonomy/v1/options', {
    scope: 'keyless',
    anyOrigin: true,
    query: OptionsQuery,
    responses: {
      200: {
        description: 'The requested sections',
        content: { 'application/json': OptionsResponse },
        headers: ['ETag', 'Cache-Control', 'Content-Language'],
      },
      304: { description: 'The client already has this version' },
    },
    handle: (call) => {
      const { locale, sections, version } = call.query;
      const language = languageOf(locale, call);
      return sendDocument(call, optionsDocument(language.locale, sections, version), {
        'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
        ...languageHeaders(language),
      });
    },
  });
};

export const taxonomyRoutes = (classifier: Classifier): Route[] => [
  optionsRoute(classifier.modelVersion),
  route('classifyGarment', `POST ${PATH}`, {
    scope: 'taxonomy:classify',
    imageForm: {
      'application/json': z.union([ClassifyRequest, BatchRequest]),
      'multipart/form-data': MultipartRequest,
    },
    quota: 1,
    responses: {
      200: {
        name: 'Classified',
        description: 'The classification, its confidence and the evidence',
        content: { 'application/json': z.union([ClassifyResponse, ClassifyBatchResponse]) },
        headers: ['Content-Language', 'Preference-Applied', 'Idempotency-Replayed'],
      },
      202: {
        description: 'A job, as requested by `Prefer`',
        content: { 'application/json': JobResponse },
        headers: ['Location', 'Retry-After', 'Preference-Applied'],
      },
    },
    handle: handleClassify(classifier),
  }),
];
