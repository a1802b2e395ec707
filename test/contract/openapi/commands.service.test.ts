import { expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../../src/cli/api/operations.ts';
import { fetchDocuments } from '../../support/openapi.ts';
import { shareStack } from '../../support/shared-stack.ts';

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
});

/** The paths of all documents, with their methods. */
async function readPaths() {
  const stack = await shareStack();
  const documents = await fetchDocuments(stack.url);
  stack.stop();
  return documents.flatMap(({ text }) => Object.entries(Document.parse(JSON.parse(text)).paths));
}

test('each command of the table is an operation of a document', async () => {
  const known = (await readPaths()).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const reviewed = ['batches/{id}', 'feeds/{id}/runs/{run}'];
  const called = OPERATIONS.flatMap(({ call }) =>
    call.includes('{of}') ? reviewed.map((of) => call.replace('{of}', of)) : [call],
  );
  expect(called.filter((call) => !known.includes(call))).toEqual([]);
});

test('no operation of a group that has commands is without one', async () => {
  const groups = ['presets', 'categories', 'rules', 'webhooks'].map(
    (group) => `/intake/v1/${group}`,
  );
  const called = OPERATIONS.map(({ call }) => call);
  for (const [path, methods] of await readPaths()) {
    if (!groups.some((group) => path === group || path.startsWith(`${group}/`))) continue;
    for (const method of Object.keys(methods)) {
      expect(called).toContain(`${method.toUpperCase()} ${path}`);
    }
  }
});
