import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonPointer, parse } from '../../src/http/parse.ts';

const Body = z.strictObject({ a: z.number(), list: z.array(z.object({ b: z.enum(['x', 'y']) })) });

test('a valid value is returned', () => {
  expect(parse(Body, { a: 1, list: [{ b: 'x' }] }, 'body')).toEqual({ a: 1, list: [{ b: 'x' }] });
});

test('all errors are listed at once, each with its JSON Pointer', () => {
  const bad = { a: 'one', list: [{ b: 'x' }, { b: 'z' }], other: 1, more: 2 };
  expect(() => parse(Body, bad, 'body')).toThrow(
    expect.objectContaining({
      type: 'invalid-request',
      errors: [
        expect.objectContaining({ pointer: '/a' }),
        expect.objectContaining({ pointer: '/list/1/b' }),
        expect.objectContaining({ pointer: '/other' }),
        expect.objectContaining({ pointer: '/more' }),
      ],
    }),
  );
});

test('a pointer is escaped as RFC 6901 requires', () => {
  expect(jsonPointer(['a/b', 'c~d', 0])).toBe('/a~1b/c~0d/0');
});

test('advice is computed only for the errors that are shown', () => {
  let computed = 0;
  const advice = () => {
    computed += 1;
    return 'send text';
  };
  const Lines = z.array(
    z.unknown().superRefine((_, context) => {
      context.addIssue({ code: 'custom', message: 'is wrong', params: { advice } });
    }),
  );
  expect(() => parse(Lines, Array(1000).fill(1), 'body')).toThrow(
    expect.objectContaining({
      detail: 'The body has 1000 errors, first: /0: is wrong; send text',
      errors: expect.objectContaining({ length: 100 }),
    }),
  );
  expect(computed).toBe(100);
});

test('a null counts as left out where none is meant, at any depth', () => {
  const Item = z.strictObject({ id: z.string(), brand: z.string().optional() });
  const Schema = z.strictObject({
    size: z.number().optional(),
    kept: z.string().nullable(),
    items: z.array(z.union([Item, z.string()])),
  });
  const sent = { size: null, kept: null, items: [{ id: 'a', brand: null }, 'b'] };
  expect(parse(Schema, sent, 'body')).toEqual({ kept: null, items: [{ id: 'a' }, 'b'] });
  expect(sent.items[0]).toEqual({ id: 'a', brand: null });
  expect(() => parse(Schema, { ...sent, items: [null] }, 'body')).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/items/0' })] }),
  );
  expect(() => parse(Schema, { ...sent, items: [{ id: null }] }, 'body')).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/items/0/id' })] }),
  );
});
