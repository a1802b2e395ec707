import { expect, test } from 'vitest';
import { matchesEtag } from '../../src/api/etag.ts';

test.each([
  { ifNoneMatch: '"a"', etag: '"a"' },
  { ifNoneMatch: 'W/"a"', etag: '"a"' },
  { ifNoneMatch: '"a"', etag: 'W/"a"' },
  { ifNoneMatch: '"b", "a"', etag: '"a"' },
  { ifNoneMatch: ['"b"', ' "a" '], etag: '"a"' },
  { ifNoneMatch: '*', etag: '"a"' },
])('$ifNoneMatch matches $etag', ({ ifNoneMatch, etag }) => {
  expect(matchesEtag(ifNoneMatch, etag)).toBe(true);
});

test.each([undefined, '', '"b"', 'a', '"aa"', '"b", W/"c"'])('%s does not match "a"', (header) => {
  expect(matchesEtag(header, '"a"')).toBe(false);
});
