import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BucketServer, startBucketServer } from '../../support/bucket-server.ts';
import { type FeedServer, startFeedServer } from '../../support/feed-server.ts';
import { bucketPlace, declareSources } from '../../support/sources.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import {
  type ApiDocument,
  documentedStatuses,
  type Media,
  type Operation,
  pathOf,
  readDocument,
  responseFor,
} from './document.ts';
import { readExamples, shapeOf, writeExamples } from './examples.ts';
import type { Exchange, Recorder } from './recorder.ts';
import { DENIED_OBJECT, recordSession } from './session.ts';

/** Without it, metrics have no error. */
const METRICS_KEY = 'metrics-key-of-the-test';
let stack: Stack;
let shop: FeedServer;
let buckets: BucketServer;
let folder: string;
let document: ApiDocument;
let session: Recorder;
let exchanges: readonly Exchange[];
/** Those of its twin, too. */
const answersTo = (operation: Operation) =>
  exchanges.filter(({ method, path }) => {
    const found = document.find(method, path);
    return (
      found?.method === method && pathOf(found) === pathOf(operation) && operation.method === method
    );
  });
/** Operations without their twins. */
const ownOperations = () => document.operations.filter((each) => pathOf(each) === each.path);

/** Starts a stack with a bucket and a folder to import from. */
async function startSourcesStack(): Promise<Stack> {
  buckets = await startBucketServer('photos');
  buckets.put('photos', DENIED_OBJECT, Buffer.from('secret'));
  buckets.spoil(({ key }) =>
    key === DENIED_OBJECT ? { status: 403, code: 'AccessDenied' } : undefined,
  );
  folder = await mkdtemp(join(tmpdir(), 'selvage-answers-'));
  const [from, to] = ['incoming/', 'cut-out/'].map((prefix) =>
    bucketPlace(buckets, 'photos', prefix),
  );
  const [inbox, outbox] = ['in', 'out'].map((name) => ({
    kind: 'folder',
    path: join(folder, name),
  }));
  const SOURCES_FILE = await declareSources(folder, [
    { id: 'shop', client: 'full', from, to },
    { id: 'folder', client: 'full', from: inbox, to: outbox },
  ]);
  return startStack({
    FETCH_ALLOW: '127.0.0.0/8',
    METRICS_KEY,
    SOURCES_FILE,
    ACCESS_REQUESTS: 'on',
  });
}

beforeAll(async () => {
  [stack, shop] = await Promise.all([startSourcesStack(), startFeedServer()]);
  document = await readDocument(stack.url);
  session = await recordSession(stack, shop, METRICS_KEY);
  exchanges = [...session.exchanges];
  // `UPDATE_EXAMPLES=1 npx vitest run --project service test/contract/openapi/answers.processes.test.ts`
  if (process.env.UPDATE_EXAMPLES) await writeExamples(ownOperations(), answersTo);
});
afterAll(async () => {
  await Promise.all([stack.stop(), shop.close()]);
  await buckets.close();
  await rm(folder, { recursive: true, force: true });
});

const named = ({ method, path, status }: Exchange): string => `${method} ${path} ${status}`;

/** The values that a body consists of, as their schema describes one: lines, events or the whole. */
function valuesOf({ mediaType, body }: Exchange): unknown[] {
  if (typeof body !== 'string') return [body];
  const lines = body.split('\n').filter((line) => line !== '');
  if (mediaType === 'text/event-stream') {
    return lines.flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  }
  return lines.map((line) => JSON.parse(line));
}

/** Returns what the schema of a body says is wrong with it. */
function bodyErrors(exchange: Exchange, { schema }: Media): string[] {
  const each = schema.contentSchema as object | undefined;
  const validate = document.validator(each ?? schema);
  return (each ? valuesOf(exchange) : [exchange.body]).flatMap((value) =>
    validate(value)
      ? []
      : [`${named(exchange)}: ${JSON.stringify(validate.errors)} ${JSON.stringify(value)}`],
  );
}

const bodyOf = ({ body }: Exchange): unknown => body;

/**
 * Headers that clients act on, besides `X-Request-Id` and `RateLimit-*`: the description of the document says that
 * every response, or every response to a key, has them.
 */
const MEANINGFUL =
  'allow content-disposition content-language etag idempotency-key location preference-applied retry-after set-cookie www-authenticate x-model'.split(
    ' ',
  );

/** Returns how an answer is not as the document says. */
function deviations(exchange: Exchange): string[] {
  const { method, path, status, mediaType, headers } = exchange;
  const operation = document.find(method, path, { status, mediaType });
  if (!operation) return [`${named(exchange)}: there is no such operation`];
  const response = responseFor(operation, status);
  if (!response || !documentedStatuses(operation).has(status)) {
    return [`${named(exchange)}: the status is not documented`];
  }
  const known = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = MEANINGFUL.filter((name) => headers.has(name) && !known.includes(name));
  const headerErrors = unknown.map((name) => `${named(exchange)}: ${name} is not documented`);
  if (mediaType === '') return headerErrors;
  const media = response.content?.[mediaType];
  if (!media) return [...headerErrors, `${named(exchange)}: ${mediaType} is not documented`];
  const hasValue = exchange.body !== undefined;
  return hasValue ? [...headerErrors, ...bodyErrors(exchange, media)] : headerErrors;
}

describe('real answers', () => {
  test('are at least 100, and of every operation a success and an error', () => {
    expect(exchanges.length).toBeGreaterThanOrEqual(100);
    const without = ownOperations().flatMap((operation) => {
      const statuses = answersTo(operation).map(({ status }) => status);
      const hasErrors = Object.keys(operation.responses).some((status) => /^4(?!00)/.test(status));
      return [
        ...(statuses.some((status) => status < 300) ? [] : [`${operation.operationId}: success`]),
        ...(hasErrors && !statuses.some((status) => status >= 400)
          ? [`${operation.operationId}: error`]
          : []),
      ];
    });
    expect(without).toEqual([]);
  });

  test('have the documented status, headers, media type and body', () => {
    expect(exchanges.flatMap(deviations)).toEqual([]);
  });
});

/** Values that few fields take. */
const ODD = [null, {}, [], -1, true, '', '\u0000', 'é'.repeat(300), [[{}]], 1e308];

/** Returns variants of a request that worked: each of its members odd or missing, and one more. */
function variants(request: object): object[] {
  const names = Object.keys(request);
  return [
    { ...request, unknownMember: 1 },
    ...names.flatMap((name) => [
      Object.fromEntries(Object.entries(request).filter(([other]) => other !== name)),
      ...ODD.map((value) => ({ ...request, [name]: value })),
    ]),
  ];
}

test('answers to malformed requests are documented, too, and never an internal error', async () => {
  const worked = ownOperations().flatMap((operation) =>
    answersTo(operation)
      .filter(({ status, request }) => status < 300 && typeof request === 'object')
      .slice(0, 1),
  );
  expect(worked.length).toBeGreaterThan(10);
  const answers: Exchange[] = [];
  for (const { method, path, request } of worked) {
    for (const body of variants(request as object)) {
      answers.push(await session.send(method, path, { body }));
    }
  }
  expect(answers.filter(({ status }) => status >= 500).map(named)).toEqual([]);
  expect(answers.flatMap(deviations)).toEqual([]);
});

describe('the examples', () => {
  test('of requests and successes fit their schemas', () => {
    const errors = document.operations.flatMap((operation) => {
      const contents = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map(({ content }) => content),
      ];
      return contents.flatMap((content) =>
        Object.entries(content ?? {}).flatMap(([mediaType, media]) =>
          Object.values(media.examples ?? {}).flatMap((example) => {
            const { method, path } = operation;
            const headers = new Headers();
            const body = example.value;
            return bodyErrors(
              { method, path, request: '', status: 0, headers, mediaType, body },
              media,
            );
          }),
        ),
      );
    });
    expect(errors).toEqual([]);
  });

  test('have the shape of real answers', async () => {
    const examples = await readExamples();
    const known = new Set(document.operations.map(({ operationId }) => operationId));
    expect(Object.keys(examples).filter((operationId) => !known.has(operationId))).toEqual([]);
    const compared = ownOperations().flatMap((operation) => {
      const { successes = {} } = examples[operation.operationId] ?? {};
      return Object.entries(successes).flatMap(([status, example]) => {
        const own = answersTo(operation).filter((each) => each.status === Number(status));
        const name = `${operation.operationId} ${status}`;
        return typeof example === 'object' ? [{ name, example, real: own.map(bodyOf) }] : [];
      });
    });
    expect(compared.length).toBeGreaterThan(25);
    for (const { name, example, real } of compared) {
      const shape = new Set(real.flatMap((body) => shapeOf(body)));
      // Work starts and ends while it is asked for, sooner or later.
      const isTimely = (path: string) => /(started|finished)At\b/.test(path);
      const others = shapeOf(example).filter((path) => !shape.has(path) && !isTimely(path));
      expect([name, others]).toEqual([name, []]);
    }
  });
});
