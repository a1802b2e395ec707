import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileParts } from '../../src/http/body-stream.ts';
import { printable } from '../../src/http/image-body.ts';
import { Problem } from '../../src/platform/problem.ts';
import { streamOf } from '../support/feeds.ts';
import { type Input, isInstance, splitAtRandom } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  'multipart/form-data; boundary=', '--x\r\n', '\r\n--x--\r\n', '\r\n\r\n', 'Content-Type: ',
  'Content-Disposition: form-data; name="', '; filename="', "; filename*=utf-8''", '%00', '../',
];

const TYPE = 'multipart/form-data; boundary=x\n';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\n';

export const seeds: readonly Input[] = [
  `${TYPE}--x\r\n${FILE}Content-Type: image/png\r\n\r\nbytes\r\n--x\r\n${FILE}\r\n--x-\r\n--x--\r\n`,
  `${TYPE}--x\r\nContent-Disposition: form-data; name="field"\r\n\r\ntext\r\n--x\r\n${FILE}\r\n`,
  `${TYPE}--x\r\nContent-Disposition: form-data; name=f; filename*=utf-8''..%2F%E4\r\n\r\nb\r\n--x--`,
  `multipart/form-data; boundary="x y"\n--x y\r\n${FILE}\r\n${'long '.repeat(30)}\r\n--x y--\r\n`,
  'multipart/form-data\nbody',
  'text/plain\n',
  `${TYPE}--x\r\n\r\n\r\n--x\r\nContent-Disposition: form-data\r\n\r\n\r\n--x--`,
];

export const regressions: readonly Input[] = [
  // Busboy counts the dashes of an end over several boundaries, depending on the cuts.
  `${TYPE}--x\r\nCont\ren1\nt--x\r="Wa.png"\r\n\r\n--x-\r\n--x-@\r\n`,
];

const MAX_FILE_BYTES = 100;
const LIMITS = { maxFileBytes: MAX_FILE_BYTES, onFileBytes: () => {} };

interface FormResult {
  files: { name: string; bytes: string; isTruncated: boolean }[];
  error?: string;
}

async function readFiles(contentType: string, blocks: readonly Buffer[]): Promise<FormResult> {
  const files: FormResult['files'] = [];
  try {
    const headers = { 'content-type': contentType };
    for await (const part of readFileParts(streamOf(blocks), headers, LIMITS)) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of part.stream) chunks.push(chunk);
      const bytes = Buffer.concat(chunks).toString('latin1');
      files.push({ name: part.name, bytes, isTruncated: part.isTruncated() });
    }
    return { files };
  } catch (error) {
    if (isInstance(error, Problem)) return { files, error: error.type };
    throw error;
  }
}

/** Busboy sums the dashes after boundaries: two with one each may end a form, depending on the cuts. */
const hasOneDash = (body: Buffer): boolean => /--[^\r\n]*[^-]-(?!-)/.test(body.toString('latin1'));

/** The first line is the media type; the body gives the same files or the same error for any cuts. */
export async function fuzz(input: Buffer): Promise<void> {
  const at = input.indexOf('\n');
  if (at < 0) return;
  const contentType = input.toString('latin1', 0, at);
  const body = input.subarray(at + 1);
  const whole = await readFiles(contentType, [body]);
  const inBlocks = await readFiles(contentType, splitAtRandom(body));
  for (const { error = 'invalid-request' } of [whole, inBlocks]) equal(error, 'invalid-request');
  if (!hasOneDash(body)) deepEqual(inBlocks, whole);
  for (const { name, bytes } of whole.files) {
    match(printable(name), /^[\w.?-]{0,40}$/);
    equal(bytes.length <= MAX_FILE_BYTES, true);
    equal(/[/\\]/.test(name), false);
  }
}
