import { type CatalogModel, findModel, readCatalog, readWeights } from '../../../models/catalog.ts';
import { startLocalEngine } from '../images/local-engine.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

const adviceFor = (model: CatalogModel): string =>
  model.url
    ? `Fetch it: selvage models pull ${model.id}`
    : 'It comes with the project: install that anew, or git checkout models.';

async function checkOne(model: CatalogModel): Promise<Finding> {
  const name = `model ${model.id}`;
  try {
    await readWeights(model);
    return ok(name, `${model.version}, its sha256 is that of the catalogue`);
  } catch (error) {
    return fail(name, reasonOf(error), adviceFor(model));
  }
}

/**
 * Whether the weights in use are there, whole and unaltered: the chosen cut-out model and all that
 * classify.
 */
export async function checkModels(chosen: string, modelsHome: string): Promise<Finding[]> {
  try {
    const catalog = readCatalog(modelsHome);
    const cutter = findModel(catalog, chosen);
    const others = catalog.filter(({ task, url }) => task === 'classification' && !url);
    return await Promise.all([cutter, ...others].map(checkOne));
  } catch (error) {
    const advice = 'Choose another MODEL, or mend catalog.json: selvage models list';
    return [fail('model', reasonOf(error), advice)];
  }
}

/** Whether the model can be loaded on the device asked for, here and now. */
export async function checkDevice(device: string, signal: AbortSignal): Promise<Finding> {
  try {
    const engine = await startLocalEngine(1, signal);
    await engine.close();
    return ok('device', `${engine.model} loads and runs on ${engine.device} (DEVICE=${device})`);
  } catch (error) {
    signal.throwIfAborted();
    const advice = 'Mend the model above; with DEVICE=auto or cpu no GPU is needed.';
    return fail('device', reasonOf(error), advice);
  }
}
