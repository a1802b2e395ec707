import { expect, test } from 'vitest';
import type { CatalogModel } from '../../../../models/catalog.ts';
import { ModelError } from '../../../../models/catalog.ts';
import type { Size } from '../../../../src/imaging/layout.ts';
import { GROUPS } from '../../../../workers/inference/garments/groups.ts';
import { parseGarments } from '../../../../workers/inference/garments/parse.ts';
import type { Session } from '../../../../workers/inference/session.ts';

const model: CatalogModel = {
  id: 'some-parser',
  version: '1',
  task: 'parsing',
  file: 'some-parser.onnx',
  folder: '',
  bytes: 1,
  sha256: '0'.repeat(64),
  licence: 'CC0-1.0',
  nonCommercial: false,
  origin: 'none',
  input: { size: 320, scale: 'divide-255', mean: [0, 0, 0], std: [1, 1, 1] },
  output: { post: 'none' },
};

/** A session whose network answers with so many values a cell, and that keeps what it was given. */
function sessionOf(valuesPerCell: number) {
  const inputs: { length: number; first: number; size: Size | undefined }[] = [];
  const session: Session = {
    model,
    device: 'cpu',
    async run(input, size) {
      inputs.push({ length: input.length, first: input[0]!, size });
      return new Float32Array((valuesPerCell * size!.width * size!.height) / 16);
    },
  };
  return { session, inputs };
}

const photo = { data: new Uint8Array(3 * 300 * 600).fill(51), width: 300, height: 600 };
const SUBJECT = { left: 100, top: 50, width: 90, height: 500 };

test('the network sees the subject upright, and answers in cells of four pixels', async () => {
  const { session, inputs } = sessionOf(GROUPS.length);
  const map = await parseGarments(session, photo, SUBJECT);
  const size = { width: 224, height: 448 };
  expect(inputs).toEqual([{ length: 3 * 224 * 448, first: expect.closeTo(0.2, 5), size }]);
  expect(map).toMatchObject({ width: 56, height: 112 });
  expect(map.region).toEqual({ left: 5, top: 20, width: 280, height: 560 });
});

test('a network that tells other groups apart is rejected', async () => {
  const { session } = sessionOf(GROUPS.length + 1);
  await expect(parseGarments(session, photo, SUBJECT)).rejects.toThrow(
    new ModelError('some-parser does not tell 22 groups apart'),
  );
});
