import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/api/openapi.ts';
import {
  compile,
  generateClients,
  layOut,
  PYTHON,
  runProgram,
} from '../../generated-client/generate.ts';
import { drawnShirt } from '../../support/images.ts';
import { isMissing } from '../../support/requirement.ts';
import { type SharedStack, shareStack } from '../../support/shared-stack.ts';
import { type ApiDocument, type Media, type Operation, readDocument } from './document.ts';

/** Of a document, and of the types that are generated from it. */
const MAX_BYTES = 220_000;

/** Three generators and a compiler, on a busy machine. */
const GENERATE_MILLIS = 600_000;
const HAS_JSONSCHEMA = spawnSync(PYTHON, ['-c', 'import jsonschema']).status === 0;

let stack: SharedStack;
let document: ApiDocument;
beforeAll(async () => {
  stack = await shareStack();
  document = await readDocument(stack.url);
});
afterAll(() => stack.stop());

/** Every schema that the document has, at any depth. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const member of Object.values(value)) yield* schemasIn(member);
}

const operation = (operationId: string): Operation => {
  const found = document.operations.find((each) => each.operationId === operationId);
  if (!found) throw new Error(`There is no operation ${operationId}`);
  return found;
};

const headersOf = (operationId: string): string[] =>
  operation(operationId).parameters.flatMap((each) => (each.in === 'header' ? [each.name] : []));

/** Bodies that can have an example: JSON, and text whose lines have a schema. */
const exemplary = (content: Record<string, Media> = {}): Media[] =>
  Object.entries(content)
    .filter(
      ([type, { schema }]) =>
        'contentSchema' in schema ||
        (/json$/.test(type) && Object.keys(schema).some((name) => name !== 'contentMediaType')),
    )
    .map(([, media]) => media);

const successOf = ({ responses }: Operation) =>
  Object.entries(responses).find(([status, { content }]) => status.startsWith('2') && content)?.[1];

describe('the document', () => {
  test('passes the strict rules of Redocly: every reference resolves, nothing is unused', async () => {
    // The query tells a twin from the operation that takes another media type: `return_base64=true` is the contract's.
    const rules = { 'path-not-include-query': 'off' } as const;
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    for (const { path, text } of document.documents) {
      const problems = await lintFromString({ source: text, config });
      const named = problems.map(
        ({ ruleId, message, location }) => `${path} ${ruleId} ${message} ${location[0]?.pointer}`,
      );
      expect(named).toEqual([]);
    }
  });

  test(`has at most ${MAX_BYTES} bytes, each`, () => {
    const large = document.documents.filter(({ text }) => Buffer.byteLength(text) > MAX_BYTES);
    expect(large.map(({ path }) => path)).toEqual([]);
  });

  test('names the others, which have no operation in common', () => {
    const paths = document.documents.map(({ path }) => path);
    expect(paths.slice(0, 2)).toEqual(['/openapi.json', '/openapi-feeds.json']);
    for (const { path, json } of document.documents)
      for (const other of paths)
        expect([path, json.info.description.includes(`\`${other}\``)]).toEqual([
          path,
          other !== path,
        ]);
    const all = document.operations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(all).size).toBe(all.length);
  });

  test('describes the events that are sent to webhooks', () => {
    const { webhooks } = document.documents[0]!.json;
    expect(webhooks?.event?.post?.requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/WebhookEvent',
    });
    expect(document.documents[0]?.json.components.schemas.WebhookEvent).toMatchObject({
      properties: { type: { enum: expect.arrayContaining(['job.succeeded', 'feed.run.held']) } },
    });
  });

  test('has patterns that mean the same in other languages', () => {
    const all = document.documents.map(({ json }) => json);
    const patterns = [...schemasIn(all)].flatMap(({ pattern }) => pattern ?? []);
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => /\\[pPu]\{|\(\?/.test(String(pattern)))).toEqual([]);
  });

  test('has a chosen name, a summary, a description and a chapter for every operation', () => {
    const names = document.operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operationId, summary, description, tags } of document.operations) {
      expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
      expect(operationId).not.toMatch(/V1/);
      expect([operationId, summary.length > 10, description.length > 10, tags.length]).toEqual([
        operationId,
        true,
        true,
        1,
      ]);
    }
    const own = names.filter((name) => !/As(Json|Form)$/.test(name));
    expect([...OPERATIONS.keys()].sort()).toEqual(own.sort());
  });

  test('has an example for every operation with JSON or lines in its request', () => {
    const without = document.operations.filter(({ requestBody, path }) => {
      const request = exemplary(requestBody?.content);
      return request.length > 0 && !path.includes('#') && !request.some((m) => m.examples);
    });
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
    const shown = document.operations.filter((each) =>
      exemplary(successOf(each)?.content).some((m) => m.examples),
    );
    expect(shown.length).toBeGreaterThan(20);
  });

  test('has each shared schema once, by its name', () => {
    const named = document.documents.flatMap(({ json }) => Object.keys(json.components.schemas));
    expect(named).toEqual(
      expect.arrayContaining(
        'Job Batch BatchRequest Feed Run Receipt Classification WardrobeItem Targets Outfit Problem'.split(
          ' ',
        ),
      ),
    );
    for (const { json } of document.documents) {
      // An object of five fields or more that occurs twice has no name yet.
      const seen = new Map<string, number>();
      for (const { type, properties } of schemasIn([json.paths, json.components.schemas])) {
        if (type !== 'object' || Object.keys(properties ?? {}).length < 5) continue;
        const text = JSON.stringify(properties);
        seen.set(text, (seen.get(text) ?? 0) + 1);
      }
      expect([...seen].filter(([, times]) => times > 1).map(([text]) => text)).toEqual([]);
    }
  });

  test('leaves everything that clients receive open', () => {
    const received = document.operations.flatMap(({ responses }) => Object.values(responses));
    const schemas = new Map(
      document.documents.flatMap(({ path, json }) =>
        Object.entries(json.components.schemas).map(([name, schema]) => [
          `${path}#/components/schemas/${name}`,
          JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${path}#/`)) as object,
        ]),
      ),
    );
    const found = new Map<string, object>();
    const collect = (value: unknown): void => {
      for (const { $ref } of schemasIn(value)) {
        const name = typeof $ref === 'string' ? $ref.replace(/^https:..[^/]+/, '') : '';
        const schema = schemas.get(name);
        if (!schema || found.has(name)) continue;
        found.set(name, schema);
        collect(schema);
      }
    };
    collect(received);
    expect(found.size).toBeGreaterThan(100);
    const closed = [...schemasIn([received, ...found.values()])].filter(
      (schema) => schema.additionalProperties === false,
    );
    expect(closed).toEqual([]);
  });

  test('says that any text is read as a condition', () => {
    const weather = document.documents[0]?.json.components.schemas.Weather as {
      properties?: object;
    };
    expect(weather.properties).toMatchObject({
      condition: { type: 'string', description: expect.stringContaining('Any text is read') },
    });
    expect(JSON.stringify(weather.properties)).not.toContain('"enum":["clear"');
  });

  test('names the scopes, the places of a key and the session of the console', () => {
    expect(operation('removeBackground').security).toEqual([
      { apiKey: ['background-removal:process'] },
      { consoleSession: ['background-removal:process'], consoleRequest: [] },
    ]);
    expect(operation('getJob').security[0]).toEqual({ apiKey: [] });
    expect(operation('getRemoveBgAccount').security).toContainEqual({ 'x-api-key': [] });
    expect(operation('getReadiness').security).toEqual([]);
    for (const { json } of document.documents)
      expect(json.servers).toEqual([expect.objectContaining({ url: '/' })]);
  });

  test('has the headers of requests and responses', () => {
    expect(headersOf('removeBackground')).toEqual(['Idempotency-Key', 'Prefer', 'X-Request-Id']);
    expect(headersOf('getTaxonomyOptions')).toEqual(['If-None-Match']);
    expect(headersOf('getBatchEvents')).toEqual(['Last-Event-ID']);
    const { responses } = operation('createJob');
    const names = (status: string) => Object.keys(responses[status]?.headers ?? {});
    expect(names('202')).toEqual(
      expect.arrayContaining(['Location', 'Retry-After', 'RateLimit-Remaining', 'X-Request-Id']),
    );
    const refused = operation('removeBackground').responses[401];
    expect(Object.keys(refused?.headers ?? {})).toContain('WWW-Authenticate');
    expect(names('default')).toEqual(
      expect.arrayContaining(['Allow', 'RateLimit-Reset', 'Retry-After', 'WWW-Authenticate']),
    );
    const options = operation('getTaxonomyOptions').responses[200];
    expect(Object.keys(options?.headers ?? {})).toEqual(expect.arrayContaining(['ETag']));
  });

  test.each(['createBatch', 'createFeedRun'])('%s needs no body', (operationId) => {
    expect(operation(operationId).requestBody?.required).toBe(false);
  });

  test.each(['sealBatch', 'cancelBatch', 'cancelJob', 'cancelFeedRun', 'createWebhookSecret'])(
    '%s has no body',
    (operationId) => {
      expect(operation(operationId).requestBody).toBeUndefined();
    },
  );
});

describe('clients generated in an empty folder', () => {
  let folder: string;
  let types: Record<string, string>;
  let photo: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'selvage-generated-'));
    photo = join(folder, 'shirt.jpg');
    await writeFile(photo, await drawnShirt({ width: 320, height: 400, format: 'jpeg' }));
    await layOut(folder);
    const urls = document.documents.map(({ path }) => `${stack.url}${path}`);
    types = await generateClients(folder, urls);
    await compile(folder);
  }, GENERATE_MILLIS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What each program reports of a cut-out, a classification, a batch and a job that is not there. */
  const REPORT = {
    mediaType: 'image/png',
    bytes: expect.any(Number),
    category: expect.any(String),
    accepted: 1,
    refused: 'not-found',
  };

  test('have few types', () => {
    expect(Object.keys(types).length).toBe(document.documents.length);
    const bytes = Object.entries(types).map(([name, text]) => [name, Buffer.byteLength(text)]);
    expect(bytes.filter(([, count]) => Number(count) > MAX_BYTES)).toEqual([]);
  });

  test.each(['openapi-fetch', 'hey-api', 'orval'])(
    'by %s remove a background, classify, make a batch and read its events, without casts',
    async (name) => {
      const { key } = await stack.key();
      const report = await runProgram(folder, name, [stack.url, key, photo]);
      expect(report).toMatchObject({ ...REPORT, requestId: 'first', status: 'completed' });
    },
  );

  test.skipIf(isMissing('python:jsonschema', HAS_JSONSCHEMA, 'Python has no jsonschema'))(
    'by hand in Python send and get what the schemas say',
    async () => {
      const { key } = await stack.key();
      const file = join(folder, 'openapi.json');
      await writeFile(file, document.documents[0]!.text);
      const report = await runProgram(folder, 'check.py', [stack.url, key, photo, file]);
      expect(report).toMatchObject({ ...REPORT, status: expect.any(String) });
    },
  );
});
