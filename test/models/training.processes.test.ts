import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { reportMissing } from '../support/requirement.ts';

const PYTHON = process.env.PYTHON || 'python3';
const FOLDER = join(import.meta.dirname, 'training');

/** The modules each test file imports beyond Python's own. A complete small training is run by hand. */
const FILES = [
  { file: 'test_lists.py', needs: ['numpy', 'PIL'] },
  { file: 'test_cards.py', needs: ['numpy', 'onnx'] },
  { file: 'test_parse.py', needs: ['numpy', 'PIL', 'onnx', 'onnxruntime', 'torch'] },
  { file: 'test_training.py', needs: ['numpy', 'PIL', 'onnx', 'onnxruntime', 'scipy', 'torch'] },
  { file: 'test_classes.py', needs: ['numpy', 'PIL', 'torch'] },
  { file: 'test_pack.py', needs: ['numpy', 'PIL', 'scipy', 'torch'] },
];

const PRINT_MISSING = `
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))`;

/** Returns the modules that Python lacks. */
function missingModules(needs: readonly string[]): string[] {
  try {
    const output = execFileSync(PYTHON, ['-c', PRINT_MISSING, ...needs], { encoding: 'utf8' });
    return output.split(/\s+/).filter(Boolean);
  } catch {
    return [...needs]; // there is no Python at all
  }
}

/** Torch alone may take a minute to load on a busy machine. */
const TIMEOUT_MILLIS = 300_000;

for (const { file, needs } of FILES) {
  const missing = missingModules(needs);
  for (const name of missing) reportMissing(`python:${name}`, `${PYTHON} has no ${name}`);
  const without = missing.length > 0 ? ` (skipped: ${missing.join(', ')} missing)` : '';
  test.skipIf(missing.length > 0)(
    `${file} passes${without}`,
    async () => {
      const { stderr } = await promisify(execFile)(PYTHON, [join(FOLDER, file)]);
      expect(stderr).toMatch(/^Ran [1-9]\d* tests? in .*\n\nOK$/m);
    },
    TIMEOUT_MILLIS,
  );
}
