import { afterAll, beforeAll } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { bodyCases } from './bodies.cases.ts';
import { framingCases } from './framing.cases.ts';
import { slowCases } from './slow.cases.ts';

let stack: Stack;
let key: string;
beforeAll(async () => {
  stack = await startStack({
    REQUEST_TIMEOUT_SECONDS: '2',
    MAX_IMAGE_BYTES: String(2 * 2 ** 20),
    MAX_IMAGE_PIXELS: '4000000',
  });
  ({ key } = await stack.key());
});
afterAll(() => stack.stop());

framingCases(
  () => stack,
  () => key,
);
slowCases(
  () => stack,
  () => key,
);
bodyCases(
  () => stack,
  () => key,
);
