import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PYTHON = process.env.PYTHON || 'python3';
const FOLDER = join(import.meta.dirname, 'training');

/** What each file of tests imports beyond Python itself. A whole training, in small, is run by hand. */
const FILES = [
  { file: 'test_lists.py', needs: ['numpy', 'PIL'] },
  { file: 'test_cards.py', needs: ['numpy', 'onnx'] },
  { file: 'test_training.py', needs: ['numpy', 'PIL', 'onnx', 'onnxruntime', 'scipy', 'torch'] },
];

const ASK = `
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))`;

/** Which of these modules Python has not. */
function missingOf(needs: readonly string[]): string[] {
  try {
    const said = execFileSync(PYTHON, ['-c', ASK, ...needs], { encoding: 'utf8' });
    return said.split(/\s+/).filter(Boolean);
  } catch {
    return [PYTHON];
  }
}

/** Torch alone may take a minute to load where much else runs. */
const PATIENCE_MILLIS = 300_000;

for (const { file, needs } of FILES) {
  const missing = missingOf(needs);
  const without = missing.length > 0 ? ` (not run: ${missing.join(', ')} missing)` : '';
  test.skipIf(missing.length > 0)(
    `${file} passes${without}`,
    async () => {
      const { stderr } = await promisify(execFile)(PYTHON, [join(FOLDER, file)]);
      expect(stderr).toMatch(/^Ran [1-9]\d* tests? in .*\n\nOK$/m);
    },
    PATIENCE_MILLIS,
  );
}
