import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type Frame, FrameReader, writeFrame } from '../../../workers/inference/child-protocol.ts';

const FRAMES = [
  { header: { id: 1, task: 'garment-view' }, body: randomBytes(9_000) },
  { header: { id: 2, text: 'ü'.repeat(99) }, body: Buffer.alloc(0) },
  { header: { id: 3 }, body: randomBytes(1) },
];

/** The frames above as bytes. */
function writtenBytes(): Buffer {
  const stream = new PassThrough({ highWaterMark: 2 ** 20 });
  for (const { header, body } of FRAMES) writeFrame(stream, header, body);
  const written: unknown = stream.read();
  if (!Buffer.isBuffer(written)) throw new Error('nothing was written');
  return written;
}

const SIZES = [1, 7, 4096, 65_536];
test.each(SIZES)('frames received %i bytes at a time equal those written', (size) => {
  const received: Frame[] = [];
  const reader = new FrameReader((frame) => received.push(frame));
  const bytes = writtenBytes();
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  expect(received).toEqual(FRAMES);
});

test('frames can be read into the buffer of the reader, without a copy', () => {
  const received: Frame[] = [];
  const reader = new FrameReader((frame) => received.push(frame));
  const bytes = writtenBytes();
  for (let at = 0; at < bytes.length; ) {
    const buffer = reader.nextBuffer();
    expect(buffer.length).toBeGreaterThan(0);
    const count = Math.min(buffer.length, 999, bytes.length - at);
    buffer.set(bytes.subarray(at, at + count));
    reader.advance(count);
    at += count;
  }
  expect(received).toEqual(FRAMES);
});

test.each([
  { what: 'an empty header', prefix: [0, 0, 0, 0, 5, 0, 0, 0] },
  { what: 'too long a header', prefix: [0, 0, 0, 127, 0, 0, 0, 0] },
  { what: 'too long a body', prefix: [2, 0, 0, 0, 0, 0, 0, 127] },
])('a prefix with $what is rejected before memory is allocated', ({ prefix }) => {
  const reader = new FrameReader(() => {});
  expect(() => reader.push(Uint8Array.from(prefix))).toThrow('not a frame');
});
