import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { json, type Route } from '../../src/http/route.ts';
import { markSunsets, sunsetHeaders } from '../../src/http/sunset.ts';
import { testFolder } from '../support/use-folder.ts';
import { row, serve, TEST_ROUTE } from './serve.ts';

const end = (path: string, sunsetAt: string) => ({
  route: `GET ${path}`,
  deprecatedAt: '2026-01-01T00:00:00Z',
  sunsetAt,
  link: 'https://docs.example/v2',
});
const at = (path: string): Route =>
  row({ ...TEST_ROUTE, scope: 'keyless', path, handle: () => json({ path }) });

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await testFolder();
  file = join(folder, 'sunset.json');
});

test('the headers of a deprecated endpoint name both dates and the successor', () => {
  expect(
    sunsetHeaders({
      ...end('/look/v1/params', '2027-07-01T12:00:00Z'),
      deprecatedAt: '2027-01-01T00:00:00Z',
    }),
  ).toEqual({
    deprecation: '@1798761600', // RFC 9745: a date as structured field
    sunset: 'Thu, 01 Jul 2027 12:00:00 GMT', // RFC 8594: an HTTP date
    link: '<https://docs.example/v2>; rel="deprecation"; type="text/html"',
  });
});

test('an endpoint works until its end, with the headers, and is gone from then on', async () => {
  const sunsets = [end('/soon', '2999-01-01T00:00:00Z'), end('/over', '2026-02-01T00:00:00Z')];
  await writeFile(file, JSON.stringify({ sunsets }));
  const { app, url } = await serve(markSunsets(['/soon', '/over', '/stays'].map(at), file));
  const [soon, over, stays] = await Promise.all(
    ['/soon', '/over', '/stays'].map((path) => fetch(`${url}${path}`)),
  );
  expect(soon?.status).toBe(200);
  expect(soon?.headers.get('sunset')).toBe('Tue, 01 Jan 2999 00:00:00 GMT');
  expect(over?.status).toBe(410);
  expect(over?.headers.get('deprecation')).toMatch(/^@\d+$/);
  expect(await over?.json()).toMatchObject({
    type: 'gone',
    detail: 'GET /over ended on 2026-02-01; see https://docs.example/v2',
  });
  expect(stays?.status).toBe(200);
  expect(stays?.headers.has('deprecation')).toBe(false);
  await app.close();
});

test.each([
  ['no JSON', '{', /sunset\.json is not JSON/],
  [
    'no such endpoint',
    [end('/b', '2027-01-01T00:00:00Z')],
    /\/0\/route: there is no such endpoint/,
  ],
  [
    'an end before its announcement',
    [end('/a', '2025-01-01T00:00:00Z')],
    /\/0\/sunsetAt: is before/,
  ],
  ['no date', [end('/a', 'soon')], /\/sunsets\/0\/sunsetAt: /],
])('a file with %s stops the start, and says why', async (_, content, error) => {
  await writeFile(
    file,
    typeof content === 'string' ? content : JSON.stringify({ sunsets: content }),
  );
  expect(() => markSunsets([at('/a')], file)).toThrow(error);
});
