import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonMembers } from '../../src/feed-formats/json-members.ts';
import { itemsOf, summary } from './reading.ts';

const IMAGE = 'https://img.example/1.jpg';

describe('each bad line is one fault and the rest goes on', () => {
  const good = `{"id":"z","image_link":"${IMAGE}"}`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { line: `{"id":"a","image_link":"${IMAGE}"}`, says: 'row a' },
    { line: `{"offerId":"a","imageLink":"${IMAGE}"}`, says: 'row a' },
    { line: `{"id":7,"image_link":"${IMAGE}"}`, says: 'row 7' },
    { line: `{"id":12345678901234567890,"image_link":"${IMAGE}"}`, says: 'fault - missing-id' },
    { line: `{"id":{"a":1},"image_link":"${IMAGE}"}`, says: 'fault - missing-id' },
    { line: `{"id":null,"image_link":"${IMAGE}"}`, says: 'fault - missing-id' },
    { line: `{"id":"","image_link":["${IMAGE}"]}`, says: 'fault - missing-id' },
    { line: '{"id":"a","image_link":[]}', says: 'fault a missing-image' },
    { line: '{"id":"a","image_link":{"href":"x"}}', says: 'fault a missing-image' },
    { line: '{"id":"a"', says: 'fault - malformed' },
    { line: `${good}${good}`, says: 'fault - malformed' },
    { line: '["a"]', says: 'fault - malformed' },
    { line: '"a"', says: 'fault - malformed' },
    { line: 'null', says: 'fault - malformed' },
    { line: '[' .repeat(100_000), says: 'fault - malformed' },
    { line: `{"__proto__":{"id":"a"},"image_link":"${IMAGE}"}`, says: 'fault - missing-id' },
    { line: '<html>', says: 'fault - malformed' },
  ])('$line', async ({ line, says }) => {
    const items = await itemsOf(`${line}\r\n\n${good}`, { format: 'ndjson' });
    expect(items.map(summary)).toEqual([`1 ${says}`, '3 row z']);
  });
});

test('additional images come as a list, or as text with commas between', async () => {
  const lines = [
    `{"id":"a","image_link":"${IMAGE}","additional_image_link":["${IMAGE}?1",null,"${IMAGE}?2"]}`,
    `{"id":"b","image_link":"${IMAGE}","additionalImageLinks":"${IMAGE}?1, ${IMAGE}?2"}`,
  ];
  const additionalImageLinks = [`${IMAGE}?1`, `${IMAGE}?2`];
  expect(await itemsOf(lines.join('\n'))).toMatchObject([
    { id: 'a', additionalImageLinks },
    { id: 'b', additionalImageLinks },
  ]);
});

test('members stand where JSON.parse finds them', () => {
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
