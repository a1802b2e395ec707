import { tmpdir } from 'node:os';
import { startEngine } from '../../support/engine.ts';

/** A program that starts an engine, prints the pids of its children, and keeps them until it is killed. */
const engine = await startEngine({
  model: 'garment-cutout',
  device: 'cpu',
  slots: 1,
  maxPixels: 1_000_000,
  modelsHome: tmpdir(),
});
console.log(JSON.stringify(engine.pids()));
