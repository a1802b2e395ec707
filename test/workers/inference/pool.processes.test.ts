import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCatalog } from '../../../models/catalog.ts';
import type { Engine } from '../../../workers/inference/pool.ts';
import { DecodeError, EngineCrash, startEngine } from '../../support/engine.ts';
import { drawnShirt, drawnShirtOnWood, quarters, transparentShirt } from '../../support/images.ts';
import { isMissing } from '../../support/requirement.ts';
import { testFolder } from '../../support/use-folder.ts';

const options = {
  model: 'garment-cutout',
  device: 'cpu',
  slots: 1,
  maxPixels: 16_000_000,
  modelsHome: tmpdir(),
} as const;

let engine: Engine;
beforeAll(async () => {
  vi.stubEnv('SOME_SECRET', 'a store password');
  engine = await startEngine(options);
});
afterAll(() => {
  vi.unstubAllEnvs();
  return engine.close();
});

/** Nine megapixels, which keep the child busy for a while. */
const largeImage = () => quarters().resize(3000, 3000, { fit: 'fill' }).jpeg().toBuffer();

const rgba = (png: Uint8Array) => sharp(png).raw().toBuffer({ resolveWithObject: true });

describe('a cut-out', () => {
  test.each([
    { what: 'a plain background', draw: drawnShirt },
    { what: 'wood', draw: drawnShirtOnWood },
  ])(
    'of a T-shirt on $what keeps the shirt bit for bit and removes the background',
    async ({ draw }) => {
      const image = await draw({ width: 480, height: 600, format: 'jpeg' });
      const { file, width, height, confidence } = await engine.removeBackground(image);
      expect([width, height]).toEqual([480, 600]);
      expect(confidence).toBeGreaterThan(0.8);
      expect(confidence).toBeLessThanOrEqual(1);
      const { data, info } = await rgba(file);
      expect(info).toMatchObject({ width: 480, height: 600, channels: 4 });
      const source = await sharp(image).raw().toBuffer();
      const solid = [...Array(480 * 600).keys()].filter((i) => data[4 * i + 3] === 255);
      const altered = solid.filter((i) =>
        [0, 1, 2].some((c) => data[4 * i + c] !== source[3 * i + c]),
      );
      expect(altered).toEqual([]);
      expect(solid.length / (480 * 600)).toBeGreaterThan(0.2);
      const alphaAt = (x: number, y: number) => data[4 * (y * 480 + x) + 3];
      expect([alphaAt(5, 5), alphaAt(475, 5), alphaAt(5, 595), alphaAt(475, 595)]).toEqual([
        0, 0, 0, 0,
      ]);
      expect([alphaAt(240, 300), alphaAt(200, 420), alphaAt(280, 240)]).toEqual([255, 255, 255]);
    },
  );

  test('has the size of the upright image and none of its metadata', async () => {
    const drawn = await drawnShirt({ width: 200, height: 300, format: 'png' });
    const image = await sharp(drawn)
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { file, width, height } = await engine.removeBackground(image);
    expect([width, height]).toEqual([300, 200]);
    const metadata = await sharp(file).metadata();
    expect([metadata.width, metadata.height]).toEqual([300, 200]);
    expect([metadata.exif, metadata.icc, metadata.xmp, metadata.orientation]).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('of a transparent image never increases alpha', async () => {
    const image = await transparentShirt({ width: 400, height: 400, format: 'png' });
    const { data: before } = await rgba(image);
    const { data: after } = await rgba((await engine.removeBackground(image)).file);
    const alphas = [...Array(400 * 400).keys()].map((i) => [before[4 * i + 3]!, after[4 * i + 3]!]);
    expect(alphas.filter(([was, is]) => is! > was!)).toEqual([]);
    const opaque = alphas.filter(([was]) => was === 255);
    expect(opaque.filter(([, is]) => is === 255).length / opaque.length).toBeGreaterThan(0.95);
  });

  test('of a half transparent image is half transparent on the subject', async () => {
    const size = { width: 300, height: 300 };
    const drawn = await drawnShirt({ ...size, format: 'png' });
    const image = await sharp(drawn).ensureAlpha(0.5).png().toBuffer();
    const { data: before } = await rgba(image);
    const { data: after } = await rgba((await engine.removeBackground(image)).file);
    const alphaAt = (data: Buffer, x: number, y: number) => data[4 * (y * 300 + x) + 3];
    expect(alphaAt(before, 150, 150)).toBeLessThan(255);
    expect(alphaAt(after, 150, 150)).toBe(alphaAt(before, 150, 150));
    expect(alphaAt(after, 3, 3)).toBe(0);
  });

  test.each([
    { width: 1, height: 1 },
    { width: 4000, height: 2 },
    { width: 2, height: 4000 },
  ])('of $width x $height pixels has that size', async ({ width, height }) => {
    const image = await quarters().resize(width, height, { fit: 'fill' }).png().toBuffer();
    expect(await engine.removeBackground(image)).toMatchObject({ width, height });
  });
});

describe('rejects what it cannot decode', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  const shirt = (format: 'gif' | 'tiff' | 'avif') => quarters().toFormat(format).toBuffer();
  test.each([
    { what: 'a GIF', image: () => shirt('gif') },
    { what: 'a TIFF', image: () => shirt('tiff') },
    { what: 'an AVIF', image: () => shirt('avif') },
    { what: 'an SVG', image: async () => Buffer.from(svg) },
    { what: 'a truncated image', image: async () => (await shirtPng()).subarray(0, 3000) },
  ])('$what', async ({ image }) => {
    await expect(engine.removeBackground(await image())).rejects.toBeInstanceOf(DecodeError);
  });
  test('a header of 65,500 x 65,500 pixels, which no worker has the memory for', async () => {
    const type = 'payload-too-large';
    await expect(engine.removeBackground(bomb(65_500))).rejects.toMatchObject({ type });
  });
  const shirtPng = () => drawnShirt({ width: 300, height: 300, format: 'png' });

  /** A PNG with a large size in its header, and no data. */
  function bomb(side: number): Buffer {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(25)]);
    png.writeUInt32BE(13, 8);
    png.write('IHDR', 12, 'latin1');
    png.writeUInt32BE(side, 16);
    png.writeUInt32BE(side, 20);
    png.set([8, 6, 0, 0, 0], 24);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    return png;
  }
});

const withoutProc = isMissing('linux', process.platform === 'linux', 'there is no /proc');

test.skipIf(withoutProc)('a child has no secrets in its environment', () => {
  const [pid] = engine.pids();
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  expect(environment).toContain('VIPS_BLOCK_UNTRUSTED=1');
  expect(environment).toContain('ORT_DISABLE_TELEMETRY=1');
  expect(environment).not.toContain('a store password');
});

describe('an abort', () => {
  const reason = new Error('the client hung up');

  test('before the start rejects', async () => {
    const image = await drawnShirt({ width: 64, height: 64, format: 'png' });
    await expect(
      engine.removeBackground(image, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  test('while waiting, and while running, rejects at once and kills no child', async () => {
    const pids = engine.pids();
    const large = await largeImage();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const settled: string[] = [];
    const note = (name: string) => (error: unknown) => {
      settled.push(error === reason ? name : String(error));
    };
    const first = engine.removeBackground(large, running).catch(note('running'));
    const second = engine.removeBackground(large, waiting).catch(note('waiting'));
    const third = engine.removeBackground(large).then(() => settled.push('third'));
    await setImmediate();
    waiting.abort(reason);
    running.abort(reason);
    await Promise.all([first, second, third]);
    expect(settled.slice(0, 2).sort()).toEqual(['running', 'waiting']);
    expect(settled[2]).toBe('third');
    expect(engine.pids()).toEqual(pids);
  });
});

describe('a child that dies', () => {
  const small = () => drawnShirt({ width: 64, height: 64, format: 'png' });

  test('fails its image, and the next image succeeds', async () => {
    const large = await largeImage();
    const [pid] = engine.pids();
    const lost = engine.removeBackground(large);
    await setImmediate();
    process.kill(pid!, 'SIGKILL');
    await expect(lost).rejects.toBeInstanceOf(EngineCrash);
    expect(await engine.removeBackground(await small())).toMatchObject({ width: 64 });
    expect(engine.pids()).toHaveLength(1);
    expect(engine.pids()).not.toContain(pid);
  });

  test('while idle is replaced, and the next image is processed', async () => {
    const [pid] = engine.pids();
    process.kill(pid!, 'SIGKILL');
    await expect.poll(() => engine.pids()).not.toContain(pid);
    expect(await engine.removeBackground(await small())).toMatchObject({ width: 64 });
    expect(engine.pids()).toHaveLength(1);
  });

  test('while it starts is replaced too, and waiting images are processed', async () => {
    const image = await small();
    const [pid] = engine.pids();
    const lost = engine.removeBackground(image);
    await setImmediate();
    process.kill(pid!, 'SIGKILL');
    await expect(lost).rejects.toBeInstanceOf(EngineCrash);
    const waiting = engine.removeBackground(image);
    await setImmediate();
    const [starting] = engine.pids();
    expect(starting).not.toBe(pid);
    process.kill(starting!, 'SIGKILL');
    // The starting child may already have the image, which then fails with it.
    const outcome = await waiting.catch((error) => error);
    if (!(outcome instanceof EngineCrash)) expect(outcome).toMatchObject({ width: 64 });
    expect(await engine.removeBackground(image)).toMatchObject({ width: 64 });
  });
});

describe('does not start', () => {
  const hasGpu = isMissing('no-gpu', !existsSync('/dev/nvidiactl'), 'there is a GPU');

  test.skipIf(hasGpu)('on a device that is not there', async () => {
    await expect(startEngine({ ...options, device: 'cuda' })).rejects.toThrow(
      /DEVICE=cuda cannot run/,
    );
  });

  test.each([
    { what: 'does not exist', model: 'no-such', says: /There is no model "no-such"/ },
    { what: 'removes no background', model: 'garment-class', says: /no model "garment-class"/ },
    { what: 'was not pulled', model: 'u2netp', says: /npm run models:pull -- u2netp/ },
  ])('with a model that $what', async ({ model, says }) => {
    await expect(startEngine({ ...options, model })).rejects.toThrow(says);
  });

  test('with weights that differ from the catalogue', async () => {
    const modelsHome = await testFolder();
    const [model] = readCatalog(modelsHome);
    if (!model) throw new Error('The catalogue is empty');
    const { folder: _, ...altered } = { ...model, id: 'altered', file: 'altered.onnx' };
    await writeFile(join(modelsHome, 'catalog.json'), JSON.stringify({ models: [altered] }));
    await writeFile(join(modelsHome, 'altered.onnx'), 'other weights');
    await expect(startEngine({ ...options, model: 'altered', modelsHome })).rejects.toThrow(
      /altered\.onnx does not match the catalogue/,
    );
  });
});

test('slots work in parallel, each in its own process', async () => {
  const two = await startEngine({ ...options, slots: 2 });
  try {
    expect(new Set(two.pids()).size).toBe(2);
    const images = await Promise.all(
      [40, 50, 60, 70, 80].map((width) => drawnShirt({ width, height: 60, format: 'webp' })),
    );
    const cutOuts = await Promise.all(images.map((image) => two.removeBackground(image)));
    expect(cutOuts.map(({ width }) => width)).toEqual([40, 50, 60, 70, 80]);
  } finally {
    await two.close();
  }
  expect(two.pids()).toEqual([]);
});
