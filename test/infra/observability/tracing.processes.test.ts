import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/root.ts';

const LOADED = `
  const { startTracing, tracing } = await import('./src/platform/tracing.ts');
  const stop = await startTracing({ process: 'gateway', version: '1', isOn: process.argv[1] === 'on' });
  const loaded = Object.keys((await import('node:module')).Module._cache);
  console.log(tracing() !== undefined, loaded.some((file) => file.includes('opentelemetry')));
  await stop();
`;
const started = (way: 'on' | 'off'): string =>
  execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', LOADED, way], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();

test('without tracing, OpenTelemetry is not loaded', () => {
  expect(started('off')).toBe('false false');
  expect(started('on')).toBe('true true');
});
