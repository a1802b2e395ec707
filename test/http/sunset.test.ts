import { expect, test } from 'vitest';
import { sunsetHeaders } from '../../src/http/sunset.ts';

test('the headers of a deprecated endpoint name both dates and the successor', () => {
  expect(
    sunsetHeaders({
      method: 'GET',
      path: '/look/v1/params',
      deprecatedAt: '2027-01-01T00:00:00Z',
      sunsetAt: '2027-07-01T12:00:00Z',
      link: 'https://docs.example/v2',
    }),
  ).toEqual({
    deprecation: '@1798761600', // RFC 9745: a date as structured field
    sunset: 'Thu, 01 Jul 2027 12:00:00 GMT', // RFC 8594: an HTTP date
    link: '<https://docs.example/v2>; rel="deprecation"; type="text/html"',
  });
});
