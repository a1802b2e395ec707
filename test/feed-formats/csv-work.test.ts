import { afterAll, expect, test, vi } from 'vitest';

/** Test files share modules: these are loaded anew, with a spy, and those after them without it. */
vi.resetModules();
vi.doMock(import('../../src/feed-formats/csv-cells.ts'), { spy: true });
const { scanRow } = await import('../../src/feed-formats/csv-cells.ts');
const { readItems } = await import('./read-items.ts');
afterAll(() => {
  vi.doUnmock('../../src/feed-formats/csv-cells.ts');
  vi.resetModules();
});

const LINES = 5000;

/** Opens a quoted cell at the start of a row, and also within a quoted cell. */
const OPENING = 'a","';

test.each([
  { what: 'up to the end', last: '' },
  { what: 'up to text after a closing quote', last: '"x"' },
])('an unclosed quote in every line $what: each line is read a few times', async ({ last }) => {
  vi.mocked(scanRow).mockClear();
  const lines = Array(LINES).fill(OPENING);
  const items = await readItems(['id,title,image_link', ...lines, last].join('\n'));
  expect(items.length).toBeGreaterThanOrEqual(LINES);
  expect(scanRow).toHaveBeenCalled();
  expect(vi.mocked(scanRow).mock.calls.length).toBeLessThan(5 * LINES);
});
