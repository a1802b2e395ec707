import { Agent, getGlobalDispatcher } from 'undici';
import { expect, test } from 'vitest';

test('tests fetch with Node’s own client, even if they import the package undici', () => {
  expect(getGlobalDispatcher()).not.toBeInstanceOf(Agent);
});
