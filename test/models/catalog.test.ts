import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findModel, ModelError, readCatalog, readWeights } from '../../models/catalog.ts';
import { testFolder } from '../support/use-folder.ts';

let home: string;
beforeEach(async () => {
  home = await testFolder();
});

const weights = Buffer.from('these would be weights');
const mine = {
  id: 'mine',
  version: '7',
  task: 'cut-out',
  file: 'mine.onnx',
  bytes: weights.length,
  sha256: createHash('sha256').update(weights).digest('hex'),
  licence: 'CC0-1.0',
  nonCommercial: false,
  origin: 'made here',
  input: { size: 32, scale: 'divide-255', mean: [0, 0, 0], std: [1, 1, 1] },
  output: { post: 'none' },
};
const writeCatalog = (...models: object[]) =>
  writeFile(join(home, 'catalog.json'), JSON.stringify({ models }));

describe('the bundled catalogue', () => {
  test('has unique ids, and a download address for weights that are not bundled', () => {
    const catalog = readCatalog(home);
    expect(new Set(catalog.map(({ id }) => id)).size).toBe(catalog.length);
    for (const { url, folder } of catalog) expect(folder === home).toBe(url !== undefined);
  });

  test('matches the bundled weights', async () => {
    const own = readCatalog(home).filter(({ url }) => !url);
    expect(own.map(({ id }) => id)).toEqual(['garment-cutout', 'garment-class', 'garment-parse']);
    for (const model of own) expect((await readWeights(model)).length).toBe(model.bytes);
  });

  test('marks weights for non-commercial use', () => {
    const limited = readCatalog(home).filter(({ nonCommercial }) => nonCommercial);
    expect(limited.map(({ id }) => id)).toEqual(['bria-rmbg-1.4']);
  });
});

describe("the operator's own catalogue", () => {
  test('adds models whose weights are beside it', async () => {
    await writeCatalog(mine);
    await writeFile(join(home, 'mine.onnx'), weights);
    const model = findModel(readCatalog(home), 'mine');
    expect((await readWeights(model)).equals(weights)).toBe(true);
  });

  test('replaces a model of the same id', async () => {
    await writeCatalog({ ...mine, id: 'u2netp' });
    const found = readCatalog(home).filter(({ id }) => id === 'u2netp');
    expect(found).toMatchObject([{ version: '7' }]);
  });

  test.each([
    { what: 'an unknown field', model: { ...mine, colour: 'red' }, says: /colour/ },
    { what: 'a file outside its folder', model: { ...mine, file: '../mine.onnx' }, says: /file/ },
    { what: 'an invalid sha256', model: { ...mine, sha256: 'abc' }, says: /sha256/ },
    { what: 'a size of zero', model: { ...mine, input: { ...mine.input, size: 0 } }, says: /size/ },
  ])('is rejected with $what, and the error says where', async ({ model, says }) => {
    await writeCatalog(model);
    expect(() => readCatalog(home)).toThrow(ModelError);
    expect(() => readCatalog(home)).toThrow(says);
  });

  test('is rejected if it is not JSON', async () => {
    await writeFile(join(home, 'catalog.json'), '{ models: ');
    expect(() => readCatalog(home)).toThrow(ModelError);
  });
});

describe('weights are rejected', () => {
  test('if one byte differs', async () => {
    await writeCatalog(mine);
    await writeFile(
      join(home, 'mine.onnx'),
      weights.map((byte, i) => (i === 3 ? byte ^ 1 : byte)),
    );
    const model = findModel(readCatalog(home), 'mine');
    await expect(readWeights(model)).rejects.toThrow(/does not match the catalogue/);
  });

  test('if they are missing, with the command that pulls them', async () => {
    const model = findModel(readCatalog(home), 'u2netp');
    await expect(readWeights(model)).rejects.toThrow(/models:pull -- u2netp/);
  });

  test('of an unknown model, with the known ids', () => {
    expect(() => findModel(readCatalog(home), 'nope')).toThrow(/"nope".*garment-cutout/);
  });
});
