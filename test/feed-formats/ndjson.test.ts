import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonMembers } from '../../src/feed-formats/ndjson.ts';
import { readItems, summary } from './read-items.ts';

const IMAGE = 'https://img.example/1.jpg';

describe('each bad line yields one error, and reading continues', () => {
  const good = `{"id":"z","image_link":"${IMAGE}"}`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { line: `{"id":"a","image_link":"${IMAGE}"}`, says: 'row a' },
    { line: `{"offerId":"a","imageLink":"${IMAGE}"}`, says: 'row a' },
    { line: `{"id":7,"image_link":"${IMAGE}"}`, says: 'row 7' },
    { line: `{"id":12345678901234567890,"image_link":"${IMAGE}"}`, says: 'row 12345678901234567890' },
    { line: `{"id":{"a":1},"image_link":"${IMAGE}"}`, says: 'error - missing-id' },
    { line: `{"id":null,"image_link":"${IMAGE}"}`, says: 'error - missing-id' },
    { line: `{"id":"","image_link":["${IMAGE}"]}`, says: 'error - missing-id' },
    { line: '{"id":"a","image_link":[]}', says: 'error a missing-image' },
    { line: '{"id":"a","image_link":{"href":"x"}}', says: 'error a missing-image' },
    { line: '{"id":"a"', says: 'error - malformed' },
    { line: `${good}${good}`, says: 'error - malformed' },
    { line: '["a"]', says: 'error - malformed' },
    { line: '"a"', says: 'error - malformed' },
    { line: 'null', says: 'error - malformed' },
    { line: '[' .repeat(100_000), says: 'error - malformed' },
    { line: `{"__proto__":{"id":"a"},"image_link":"${IMAGE}"}`, says: 'error - missing-id' },
    { line: '<html>', says: 'error - malformed' },
  ])('$line', async ({ line, says }) => {
    const items = await readItems(`${line}\r\n\n${good}`, { format: 'ndjson' });
    expect(items.map(summary)).toEqual([`1 ${says}`, '3 row z']);
  });
});

test('additional images are an array, or comma-separated text', async () => {
  const lines = [
    `{"id":"a","image_link":"${IMAGE}","additional_image_link":["${IMAGE}?1",null,"${IMAGE}?2"]}`,
    `{"id":"b","image_link":"${IMAGE}","additionalImageLinks":"${IMAGE}?1, ${IMAGE}?2"}`,
  ];
  const additionalImageLinks = [`${IMAGE}?1`, `${IMAGE}?2`];
  const expected = [
    { id: 'a', additionalImageLinks },
    { id: 'b', additionalImageLinks },
  ];
  expect(await readItems(lines.join('\n'))).toMatchObject(expected);
});

test('jsonMembers agrees with JSON.parse', () => {
  const layouts = [undefined, 1, '\t'];
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }),
      fc.constantFrom(...layouts),
      (object, layout) => {
        const json = JSON.stringify(object, null, layout);
        const members = jsonMembers(json).map(({ key, start, end }) => [
          JSON.parse(key),
          JSON.parse(json.slice(start, end)),
        ]);
        expect(members).toEqual(Object.entries(JSON.parse(json)));
      },
    ),
  );
});
