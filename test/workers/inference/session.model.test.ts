import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { deviceFinding } from '../../../src/cli/doctor/model.ts';
import { openSession } from '../../../workers/inference/session.ts';
import { isMissing } from '../../support/requirement.ts';

const model = findModel(readCatalog(''), 'garment-cutout');
const hasGpu = isMissing('no-gpu', !existsSync('/dev/nvidiactl'), 'there is a GPU');

test.skipIf(hasGpu)('a GPU that cannot be used is replaced, and the reason is kept', async () => {
  const session = await openSession(model, 'auto', 1, ['cuda', 'cpu']);
  expect(session).toMatchObject({ device: 'cpu', fallback: expect.stringMatching(/cuda/i) });
  const plain = await openSession(model, 'cpu', 1);
  expect(plain.fallback).toBeUndefined();
});

test('doctor warns of a GPU that is not used', () => {
  const engine = { model: 'm@1', device: 'cpu' };
  expect(deviceFinding(engine, 'auto')).toMatchObject({ status: 'ok' });
  expect(deviceFinding({ ...engine, fallback: 'no CUDA\nat all' }, 'auto')).toMatchObject({
    status: 'warn',
    detail: 'm@1 loads and runs on cpu (DEVICE=auto); the GPU is not used: no CUDA',
    advice: expect.stringContaining('DEVICE=cpu'),
  });
});
