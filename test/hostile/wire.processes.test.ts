import { useStack } from '../support/use-stack.ts';
import { bodyCases } from './bodies.cases.ts';
import { framingCases } from './framing.cases.ts';
import { slowCases } from './slow.cases.ts';

const { stack, key } = await useStack({
  REQUEST_TIMEOUT_SECONDS: '2',
  MAX_IMAGE_BYTES: String(2 * 2 ** 20),
  MAX_IMAGE_PIXELS: '4000000',
});

framingCases(stack, key);
slowCases(stack, key);
await bodyCases(stack, key);
