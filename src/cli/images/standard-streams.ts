import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Standard input as a file, and a file as standard output; nothing is said before the file is whole.
 * @param make makes the second file of the first
 */
export async function throughStandardStreams(
  signal: AbortSignal,
  make: (input: string, output: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-'));
  const input = join(folder, 'input');
  const output = join(folder, 'output');
  try {
    await pipeline(process.stdin, createWriteStream(input), { signal });
    await make(input, output);
    await pipeline(createReadStream(output), process.stdout, { signal, end: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
