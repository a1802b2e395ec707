import { startEngine } from '../../workers/inference/pool.ts';
import { answerWith } from './answer.ts';

/** The engine as a worker has it, with one child. */
const engine = await startEngine({
  model: 'garment-cutout',
  device: 'cpu',
  slots: 1,
  maxPixels: 50_000_000,
  modelsHome: '.selvage/models',
});
answerWith(async (image) => (await engine.removeBackground(image, { priority: 'now' })).file);
