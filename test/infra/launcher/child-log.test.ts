import { expect, test } from 'vitest';
import { readable } from '../../../infra/launcher/child-log.mjs';

const plain = (_colour: string, text: string) => text;
const line = (level: string, fields: object = {}) =>
  JSON.stringify({ level, time: '2026-01-31T12:00:00Z', process: 'worker', msg: 'job', ...fields });

test.each([
  { text: line('error'), at: 'warn', shown: 'worker error: job' },
  { text: line('warn', { jobId: 'a1' }), at: 'warn', shown: 'worker warn: job  jobId=a1' },
  {
    text: line('warn', { steps: { wait: 3 } }),
    at: 'warn',
    shown: 'worker warn: job  steps={"wait":3}',
  },
  { text: line('info'), at: 'warn', shown: undefined },
  { text: line('info'), at: 'trace', shown: 'worker info: job' },
  { text: 'Error: no memory', at: 'warn', shown: 'worker: Error: no memory' },
  { text: '{"level":"loud"}', at: 'warn', shown: 'worker: {"level":"loud"}' },
  { text: '{not json', at: 'warn', shown: 'worker: {not json' },
])('at level $at, $text is shown as $shown', ({ text, at, shown }) => {
  expect(readable('worker', text, at, plain)).toBe(shown);
});
