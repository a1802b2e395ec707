import { describe, expect, test } from 'vitest';
import { type CatalogModel, ModelError } from '../../../../models/catalog.ts';
import type { Size } from '../../../../src/imaging/picture.ts';
import { GROUPS } from '../../../../workers/inference/garments/groups.ts';
import { parseGarments, parseOnce } from '../../../../workers/inference/garments/parse.ts';
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
  const look = { length: 3 * 224 * 448, first: expect.closeTo(0.2, 5), size };
  expect(inputs).toEqual([look, look]);
  expect(map).toMatchObject({ width: 56, height: 112 });
  expect(map.region).toEqual({ left: 5, top: 20, width: 280, height: 560 });
});

test('the answer is the mean of what the network says of the picture and of its mirror image', async () => {
  const data = new Uint8Array(photo.data.length);
  // The left half is white.
  for (let i = 0; i < data.length; i += 3) if ((i / 3) % 300 < 150) data.fill(255, i, i + 3);
  // A network that calls skin what is bright, by the first colour of each cell, and what is at its left.
  const session: Session = {
    ...sessionOf(0).session,
    async run(input, size) {
      const [width, height] = [size!.width / 4, size!.height / 4];
      const out = new Float32Array(GROUPS.length * width * height);
      for (let cell = 0; cell < width * height; cell++) {
        const [x, y] = [cell % width, Math.floor(cell / width)];
        const bright = input[4 * y * size!.width + 4 * x]!;
        out[width * height + cell] = (bright + (x < width / 2 ? 1 : 0)) / 2;
      }
      return out;
    },
  };
  const whole = { left: 0, top: 0, width: 300, height: 600 };
  const parsed = await parseGarments(session, { ...photo, data }, whole);
  const { width, height, probabilities, seen } = parsed;
  expect(seen).toMatchObject({ width: 4 * width, height: 4 * height });
  const skin = (x: number) => probabilities[width * height + 20 * width + x];
  // Its fondness of the left is the same on both sides then; the picture is not mirrored.
  expect(skin(4)).toBeCloseTo(0.75, 2);
  expect(skin(width - 4)).toBeCloseTo(0.25, 2);
});

describe('a subject that is wider than tall', () => {
  const size = { width: 600, height: 300 };
  const whole = { left: 0, top: 0, ...size };
  const groupOf = (id: string) => GROUPS.findIndex((group) => group.id === id);

  const ofLying = (bright: number) => (bright > 0.9 ? 'hair' : bright < 0.1 ? 'shoes' : 'skin');

  /** A network that tells the group of a cell from its brightness; by default white is hair, black shoes, the rest skin. */
  function sessionOfColours(groupOfBrightness: (bright: number) => string = ofLying) {
    const { session, inputs } = sessionOf(0);
    const run: Session['run'] = async (input, shown) => {
      inputs.push({ length: input.length, first: input[0]!, size: shown });
      const [width, height] = [shown!.width / 4, shown!.height / 4];
      const out = new Float32Array(GROUPS.length * width * height);
      for (let cell = 0; cell < width * height; cell++) {
        const bright = input[4 * Math.floor(cell / width) * shown!.width + 4 * (cell % width)]!;
        out[groupOf(groupOfBrightness(bright)) * width * height + cell] = 1;
      }
      return out;
    };
    return { session: { ...session, run }, inputs };
  }

  /** Grey, with a white and a black end. */
  function lying(headAt: 'left' | 'right') {
    const data = new Uint8Array(3 * 600 * 300).fill(128);
    for (let i = 0; i < data.length; i += 3) {
      const x = (i / 3) % 600;
      if (x < 100) data.fill(headAt === 'left' ? 255 : 0, i, i + 3);
      if (x >= 500) data.fill(headAt === 'left' ? 0 : 255, i, i + 3);
    }
    return { data, ...size };
  }

  test.each([
    ['left', 1],
    ['right', 3],
  ] as const)('with its head at the %s is seen standing', async (headAt, rotation) => {
    const { session, inputs } = sessionOfColours();
    const map = await parseGarments(session, lying(headAt), whole);
    const expected = { rotation, width: 112, height: 56, seen: { width: 448, height: 224 } };
    expect(map).toMatchObject(expected);
    const hair = map.probabilities.subarray(groupOf('hair') * 112 * 56);
    expect([hair[2], hair[109]]).toEqual(headAt === 'left' ? [1, 0] : [0, 1]);
    // As it is, turned twice, and the mirror image of the better one.
    expect(inputs.map(({ size: shown }) => shown!.width)).toEqual([448, 224, 224, 224]);
  });

  test('and of which only skin shows is kept as it is', async () => {
    const { session, inputs } = sessionOfColours((bright) => (bright > 0.9 ? 'skin' : 'bag'));
    const map = await parseOnce(session, lying('left'), whole);
    expect(map).toMatchObject({ rotation: 0, width: 112, height: 56 });
    expect(inputs).toHaveLength(3);
  });

  test('and shows no trace of a person is looked at once', async () => {
    const { session, inputs } = sessionOfColours((bright) => (bright < 0.1 ? 'shoes' : 'bag'));
    expect(await parseOnce(session, lying('left'), whole)).toMatchObject({ rotation: 0 });
    expect(inputs).toHaveLength(1);
  });
});

test('naming photos takes one look, whose cells speak for themselves', async () => {
  const { session, inputs } = sessionOf(GROUPS.length);
  const map = await parseOnce(session, photo, SUBJECT);
  expect(inputs).toHaveLength(1);
  expect(map).not.toHaveProperty('seen');
});

test('a network that tells other groups apart is rejected', async () => {
  const { session } = sessionOf(GROUPS.length + 1);
  await expect(parseGarments(session, photo, SUBJECT)).rejects.toThrow(
    new ModelError('some-parser does not tell 22 groups apart'),
  );
});
