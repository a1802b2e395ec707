import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const MAX_DOCUMENT_BYTES = 279_000;
/** As generated, and without comments: what a compiler reads. */
const MAX_TYPES_BYTES = { all: 342_500, code: 249_500 };

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
    const problems = await lintFromString({ source: document.text, config });
    expect(
      problems.map(
        ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
      ),
    ).toEqual([]);
  });

  test(`has less than ${MAX_DOCUMENT_BYTES} bytes`, () => {
    expect(Buffer.byteLength(document.text)).toBeLessThan(MAX_DOCUMENT_BYTES);
  });

  test('has patterns that mean the same in other languages', () => {
    const patterns = [...schemasIn(document.json)].flatMap(({ pattern }) => pattern ?? []);
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
    expect(names).toEqual(expect.arrayContaining(['removeBackground', 'createBatch']));
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
    const { schemas } = document.json.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(
        'Job Batch BatchRequest Feed Run Receipt Classification WardrobeItem Targets Outfit Problem'.split(
          ' ',
        ),
      ),
    );
    // An object of five fields or more that occurs twice has no name yet.
    const seen = new Map<string, number>();
    for (const { type, properties } of schemasIn([document.json.paths, schemas])) {
      if (type !== 'object' || Object.keys(properties ?? {}).length < 5) continue;
      const text = JSON.stringify(properties);
      seen.set(text, (seen.get(text) ?? 0) + 1);
    }
    expect([...seen].filter(([, times]) => times > 1).map(([text]) => text)).toEqual([]);
  });

  test('leaves everything that clients receive open', () => {
    const received = document.operations.flatMap(({ responses }) => Object.values(responses));
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      for (const { $ref } of schemasIn(value)) {
        const name = typeof $ref === 'string' && /schemas\/(.+)$/.exec($ref)?.[1];
        if (!name || names.has(name)) continue;
        names.add(name);
        collect(document.json.components.schemas[name]);
      }
    };
    collect(received);
    expect(names.size).toBeGreaterThan(30);
    const parts = [received, ...[...names].map((name) => document.json.components.schemas[name])];
    const closed = [...schemasIn(parts)].filter((schema) => schema.additionalProperties === false);
    expect(closed).toEqual([]);
  });

  test('says that any text is read as a condition', () => {
    const weather = document.json.components.schemas.Weather as { properties?: object };
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
    expect(document.json.servers).toEqual([expect.objectContaining({ url: '/' })]);
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
    expect(names('401')).toContain('WWW-Authenticate');
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
  let types: string;
  let photo: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'selvage-generated-'));
    photo = join(folder, 'shirt.jpg');
    await writeFile(photo, await drawnShirt({ width: 320, height: 400, format: 'jpeg' }));
    await layOut(folder);
    types = await generateClients(folder, `${stack.url}/openapi.json`);
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
    expect(types.length).toBeLessThan(MAX_TYPES_BYTES.all);
    const code = types.replaceAll(/^ *\/\*\*.*?\*\/\n/gms, '');
    expect(code.length).toBeLessThan(MAX_TYPES_BYTES.code);
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
      await writeFile(file, document.text);
      const report = await runProgram(folder, 'check.py', [stack.url, key, photo, file]);
      expect(report).toMatchObject({ ...REPORT, status: expect.any(String) });
    },
  );
});
