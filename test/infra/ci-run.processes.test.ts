import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/**
 * Runs `.ci/run` with an `npm` that fails `failures` times, each time leaving the list, and notes what it is called
 * with.
 */
function runWith(failures: number, list: string[] | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const calls = join(folder, 'calls');
  writeFileSync(
    join(folder, 'npm'),
    `#!/bin/sh
echo "$*" >>${calls}
[ $(wc -l <${calls}) -gt ${failures} ] && exit
${list ? `printf '%s\\n' ${list.join(' ')} >"\${SELVAGE_FAILED_FILES:-/dev/null}"` : ''}
exit 3
`,
    { mode: 0o755 },
  );
  const { status, stdout } = spawnSync('.ci/run', {
    env: { ...process.env, CI: '', PATH: `${folder}${delimiter}${process.env.PATH}` },
    encoding: 'utf8',
  });
  return {
    isGreen: status === 0,
    stdout,
    calls: readFileSync(calls, 'utf8').split('\n').slice(0, -1),
  };
}

const FEW = ['test/a.test.ts', 'test/b.test.ts'];
const ALL = 'test -- --project *';
const AGAIN = `test -- ${FEW.join(' ')}`;

test.each([
  ['nothing fails', 0, FEW, true, [ALL]],
  ['what failed passes by itself', 1, FEW, true, [ALL, AGAIN]],
  ['what failed fails again', 2, FEW, false, [ALL, AGAIN]],
  ['more than five files fail', 1, Array<string>(6).fill('test/a.test.ts'), false, [ALL]],
  ['no list is left', 1, undefined, false, [ALL]],
])('%s', (_, failures, list, isGreen, calls) => {
  const result = runWith(failures, list);
  expect(result).toMatchObject({ isGreen, calls });
  const lastLines = result.stdout.trimEnd().split('\n').slice(-3);
  if (isGreen && failures) {
    expect(lastLines).toEqual([
      expect.stringMatching(/NOT STABLE/),
      ...FEW.map((file) => `!!!!   ${file}`),
    ]);
  } else {
    expect(result.stdout).not.toContain('NOT STABLE');
  }
});
