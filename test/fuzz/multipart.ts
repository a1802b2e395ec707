import { deepEqual, equal, match } from 'node:assert/strict';
import { fileParts } from '../../src/http/file-parts.ts';
import { printable } from '../../src/http/image-body.ts';
import { Problem } from '../../src/platform/problem.ts';
import { streamOf } from '../support/feeds.ts';
import { cut, type Input, isOf } from './target.ts';

export const words = [
  ...['multipart/form-data; boundary=', '--x\r\n', '\r\n--x--\r\n', '\r\n\r\n', 'Content-Type: '],
  ...[
    'Content-Disposition: form-data; name="',
    '; filename="',
    "; filename*=utf-8''",
    '%00',
    '../',
  ],
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

export const found: readonly Input[] = [
  // Busboy counts the dashes of an end over several boundaries, by how they are cut.
  `${TYPE}--x\r\nCont\ren1\nt--x\r="Wa.png"\r\n\r\n--x-\r\n--x-@\r\n`,
];

const MAX_FILE_BYTES = 100;

interface Reading {
  files: { name: string; bytes: string; isTruncated: boolean }[];
  fault?: string;
}

async function readFiles(contentType: string, pieces: readonly Buffer[]): Promise<Reading> {
  const files: Reading['files'] = [];
  try {
    const headers = { 'content-type': contentType };
    for await (const part of fileParts(streamOf(pieces), headers, MAX_FILE_BYTES)) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of part.stream) chunks.push(chunk);
      const bytes = Buffer.concat(chunks).toString('latin1');
      files.push({ name: part.name, bytes, isTruncated: part.isTruncated() });
    }
    return { files };
  } catch (error) {
    if (isOf(error, Problem)) return { files, fault: error.type };
    throw error;
  }
}

/** Busboy adds up the dashes that follow boundaries: two with one each may end a form, by how it is cut. */
const hasOneDash = (body: Buffer): boolean => /--[^\r\n]*[^-]-(?!-)/.test(body.toString('latin1'));

/** The first line is the media type: however the body is cut, it gives the same files or no form. */
export async function holds(input: Buffer): Promise<void> {
  const at = input.indexOf('\n');
  if (at < 0) return;
  const contentType = input.toString('latin1', 0, at);
  const body = input.subarray(at + 1);
  const whole = await readFiles(contentType, [body]);
  const inPieces = await readFiles(contentType, cut(body));
  for (const { fault = 'invalid-request' } of [whole, inPieces]) equal(fault, 'invalid-request');
  if (!hasOneDash(body)) deepEqual(inPieces, whole);
  for (const { name, bytes } of whole.files) {
    match(printable(name), /^[\w.?-]{0,40}$/);
    equal(bytes.length <= MAX_FILE_BYTES, true);
    equal(/[/\\]/.test(name), false);
  }
}
