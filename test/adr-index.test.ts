import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/root.ts';

const FOLDER = join(ROOT, 'docs', 'adr');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

test('the index of decisions lists every one by its title, in order', () => {
  const files = readdirSync(FOLDER).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const listed = read('README.md').matchAll(
    /^\| (\d+) \| \[(.+)\]\((.+)\) \| \d{4}-\d\d-\d\d \| .+ \|$/gm,
  );
  const rows = [...listed].map(([, number = '', title, file]) => ({ number, title, file }));
  const expected = files.map((file) => ({
    number: String(Number(file.slice(0, 4))),
    title: /^# \d+\. (.+)$/m.exec(read(file))?.[1]?.trim(),
    file,
  }));
  expect(rows).toEqual(expected);
});
