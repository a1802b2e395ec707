import { type CatalogModel, findModel, readCatalog, readWeights } from '../../../models/catalog.ts';
import { startLocalEngine } from '../images/local-engine.ts';
import { type Finding, fail, firstLineOf, ok, warn } from './finding.ts';

const adviceFor = (model: CatalogModel): string =>
  model.url
    ? `Download it: selvage models pull ${model.id}`
    : 'It is part of the project: install that again, or run git checkout models.';

async function checkOne(model: CatalogModel): Promise<Finding> {
  const name = `model ${model.id}`;
  try {
    await readWeights(model);
    return ok(name, `${model.version}, its sha256 matches the catalogue`);
  } catch (error) {
    return fail(name, firstLineOf(error), adviceFor(model));
  }
}

/**
 * Checks that the weights in use exist and are unaltered: those of the chosen cut-out model and of
 * all other bundled models.
 */
export async function checkModels(chosen: string, modelsHome: string): Promise<Finding[]> {
  try {
    const catalog = readCatalog(modelsHome);
    const cutOutModel = findModel(catalog, chosen);
    const others = catalog.filter(({ task, url }) => task !== 'cut-out' && !url);
    return await Promise.all([cutOutModel, ...others].map(checkOne));
  } catch (error) {
    const advice = 'Choose another MODEL, or fix catalog.json: selvage models list';
    return [fail('model', firstLineOf(error), advice)];
  }
}

/** Returns the finding about a device that runs the model. @param choice DEVICE */
export function deviceFinding(
  { model, device, fallback }: { model: string; device: string; fallback?: string | undefined },
  choice: string,
): Finding {
  const detail = `${model} loads and runs on ${device} (DEVICE=${choice})`;
  if (fallback === undefined) return ok('device', detail);
  const advice = 'Install the CUDA libraries of the worker-gpu image, or set DEVICE=cpu.';
  return warn('device', `${detail}; the GPU is not used: ${firstLineOf(fallback)}`, advice);
}

/** Checks that the model can be loaded on the configured device. */
export async function checkDevice(device: string, signal: AbortSignal): Promise<Finding> {
  try {
    const engine = await startLocalEngine(1, signal);
    await engine.close();
    return deviceFinding(engine, device);
  } catch (error) {
    signal.throwIfAborted();
    const advice = 'Fix the model above; DEVICE=auto and DEVICE=cpu need no GPU.';
    return fail('device', firstLineOf(error), advice);
  }
}
