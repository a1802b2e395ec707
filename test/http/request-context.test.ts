import { expect, test } from 'vitest';
import { requestIdOf } from '../../src/http/request-context.ts';

const idOf = (sent?: string | string[]) =>
  requestIdOf({ headers: sent === undefined ? {} : { 'x-request-id': sent } } as never);

test("a client's own safe id is used", () => {
  expect(idOf('order-17.retry_2')).toBe('order-17.retry_2');
  expect(idOf('x'.repeat(128))).toHaveLength(128);
});

const UNUSABLE = [undefined, '', 'x'.repeat(129), 'a b', 'a\nb', '<b>', 'é'];
test.each(UNUSABLE)('%j is replaced by a new id', (sent) => {
  expect(idOf(sent)).toMatch(/^[0-9a-f-]{36}$/);
  expect(idOf(sent)).not.toBe(idOf(sent));
});
