import { expect, test } from 'vitest';
import { DOCUMENTS, OPERATIONS } from '../../src/api/openapi.ts';
import { REQUEST_HEADERS } from '../../src/http/openapi/headers.ts';
import { PROBLEMS } from '../../src/platform/problem.ts';
import { readTable } from '../../src/taxonomy/tables.ts';

test('every type of problem has causes', () => {
  const rows = readTable('api/problem-causes');
  expect([...new Set(rows.map(([type]) => type))].sort()).toEqual(Object.keys(PROBLEMS).sort());
  expect(rows.filter(([, cause = '']) => !cause.endsWith('.'))).toEqual([]);
});

test('every operation has a summary and a description, and problems and headers that there are', () => {
  for (const [id, { summary, description, problems, requestHeaders }] of OPERATIONS) {
    expect([id, summary, description]).not.toContain('');
    expect(Object.keys(PROBLEMS)).toEqual(expect.arrayContaining([...problems]));
    expect(Object.keys(REQUEST_HEADERS)).toEqual(expect.arrayContaining([...requestHeaders]));
  }
});

test('every chapter belongs to a document, and the last one has what no other has', () => {
  const rows = readTable('api/chapters');
  expect([...new Set(rows.map(([, document]) => document))].sort()).toEqual(
    Object.keys(DOCUMENTS).sort(),
  );
  expect(rows.filter((row) => row.length !== 4 || row.includes(''))).toEqual([]);
  expect(rows.findIndex(([prefix]) => prefix === '/')).toBe(rows.length - 1);
});
