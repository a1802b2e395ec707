import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createFrameReader, type Frame, writeFrame } from '../../../workers/inference/frames.ts';

const SENT = [
  { words: { id: 1, deed: 'view' }, bytes: randomBytes(9_000) },
  { words: { id: 2, said: 'ü'.repeat(99) }, bytes: Buffer.alloc(0) },
  { words: { id: 3 }, bytes: randomBytes(1) },
];

/** The frames above as they cross. */
function sentBytes(): Buffer {
  const stream = new PassThrough({ highWaterMark: 2 ** 20 });
  for (const { words, bytes } of SENT) writeFrame(stream, words, bytes);
  const sent: unknown = stream.read();
  if (!Buffer.isBuffer(sent)) throw new Error('nothing was written');
  return sent;
}

test.each([1, 7, 4096, 65_536])(
  'frames that arrive %i bytes at a time are the ones sent',
  (size) => {
    const heard: Frame[] = [];
    const reader = createFrameReader((frame) => heard.push(frame));
    const sent = sentBytes();
    for (let at = 0; at < sent.length; at += size) reader.take(sent.subarray(at, at + size));
    expect(heard).toEqual(SENT);
  },
);

test('who reads into the room that the reader has needs no copy', () => {
  const heard: Frame[] = [];
  const reader = createFrameReader((frame) => heard.push(frame));
  const sent = sentBytes();
  for (let at = 0; at < sent.length; ) {
    const room = reader.room();
    expect(room.length).toBeGreaterThan(0);
    const count = Math.min(room.length, 999, sent.length - at);
    room.set(sent.subarray(at, at + count));
    reader.filled(count);
    at += count;
  }
  expect(heard).toEqual(SENT);
});

test.each([
  { what: 'no words', head: [0, 0, 0, 0, 5, 0, 0, 0] },
  { what: 'more words than anybody has', head: [0, 0, 0, 127, 0, 0, 0, 0] },
  { what: 'more bytes than a picture has', head: [2, 0, 0, 0, 0, 0, 0, 127] },
])('a head of $what is refused before memory is taken for it', ({ head }) => {
  const reader = createFrameReader(() => {});
  expect(() => reader.take(Uint8Array.from(head))).toThrow('no frame');
});
