import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Reads standard input to a file, and writes a file to standard output when it is complete.
 * @param convert writes the output file
 */
export async function withStandardStreams(
  signal: AbortSignal,
  convert: (input: string, output: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-'));
  const input = join(folder, 'input');
  const output = join(folder, 'output');
  try {
    await pipeline(process.stdin, createWriteStream(input), { signal });
    await convert(input, output);
    await pipeline(createReadStream(output), process.stdout, { signal, end: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
