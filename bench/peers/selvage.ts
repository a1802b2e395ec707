import { startEngine } from '../../workers/inference/pool.ts';
import { serveCutOuts } from './cut-out-server.ts';

/** The engine of a worker, with one child. */
const engine = await startEngine({
  model: 'garment-cutout',
  device: 'cpu',
  slots: 1,
  maxPixels: 50_000_000,
  modelsHome: '.selvage/models',
});
serveCutOuts(async (image) => (await engine.removeBackground(image, { priority: 'now' })).file);
