import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Triple = z.tuple([z.number(), z.number(), z.number()]);

const Model = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  version: z.string().min(1),
  task: z.enum(['cut-out', 'classification', 'parsing']),
  /** File name of the weights, in the model's folder. */
  file: z.string().regex(/^[\w.-]+\.onnx$/),
  bytes: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of the weights: SPDX identifier, `LicenseRef-…` for a licence SPDX does not list, `NOASSERTION` if none is stated. */
  licence: z.string().min(1),
  /** Of the code that defines and trains the network. */
  codeLicence: z.string().min(1).optional(),
  /** What the network was trained on, and the terms of that. */
  trainingData: z.string().min(1).optional(),
  nonCommercial: z.boolean(),
  /** Who made the weights, and where that is documented. */
  origin: z.string().min(1),
  /** Download address; absent for bundled weights. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * The image is stretched to a square of `size` pixels; colours become `(colour / scale - mean) / std`. For `parsing`
   * the subject is stretched to a rectangle of about as many pixels.
   */
  input: z.strictObject({
    /** Absent: the network's first input. */
    name: z.string().optional(),
    size: z.number().int().positive(),
    /** Whether a second pass on the subject alone improves the result; see docs/adr/0027-second-pass.md. */
    closer: z.boolean().optional(),
    /** Blurred photos are looked at again sharpened, in a square of this size; absent: they are not. */
    blurredSize: z.number().int().positive().optional(),
    scale: z.enum(['divide-255', 'divide-max']),
    mean: Triple,
    std: Triple,
  }),
  output: z.strictObject({
    /** Absent: the network's first output. */
    name: z.string().optional(),
    /** Maps the raw output to 0..1. */
    post: z.enum(['none', 'min-max', 'sigmoid']),
  }),
});
const Catalog = z.strictObject({ models: z.array(Model) });
const CatalogText = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' });
      return z.NEVER;
    }
  })
  .pipe(Catalog);

export type Model = z.infer<typeof Model>;

/** A model and the folder its weights are in. */
export interface CatalogModel extends Model {
  folder: string;
}

/** An error an operator can fix; the message says how. */
export class ModelError extends Error {}

/** Returns the folder of the bundled models: this file's, or that of the sources if this file is in `dist/models`. */
function bundledFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.endsWith(join('dist', 'models')) ? join(here, '..', '..', 'models') : here;
}

function readModels(file: string, optional: boolean): Model[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (optional) return [];
    throw new ModelError(`${file} is missing`, { cause });
  }
  const parsed = CatalogText.safeParse(text);
  if (parsed.success) return parsed.data.models;
  throw new ModelError(`${file} cannot be used:\n${z.prettifyError(parsed.error)}`);
}

/**
 * Reads every known model: the bundled catalogue, and the operator's `catalog.json` in `home`, whose entries
 * replace bundled ones of the same id.
 * @param home folder of downloaded weights and of the operator's own models
 * @throws ModelError if a catalogue is invalid
 */
export function readCatalog(home: string): CatalogModel[] {
  const bundled = bundledFolder();
  const shipped = readModels(join(bundled, 'catalog.json'), false).map((model) => ({
    ...model,
    folder: model.url ? home : bundled,
  }));
  const added = readModels(join(home, 'catalog.json'), true).map((model) => ({
    ...model,
    folder: home,
  }));
  return [...shipped.filter(({ id }) => !added.some((model) => model.id === id)), ...added];
}

/** Id of the model that classifies garments. */
export const CLASSIFIER_ID = 'garment-class';

/** Id of the model that tells garments apart, pixel by pixel. */
export const PARSER_ID = 'garment-parse';

/** Returns what names the weights in responses. */
export const modelVersionOf = ({ id, version }: Pick<Model, 'id' | 'version'>): string =>
  `${id}@${version}`;

/** Returns a model by id. @throws ModelError that lists the known ids */
export function findModel(catalog: readonly CatalogModel[], id: string): CatalogModel {
  const found = catalog.find((model) => model.id === id);
  if (found) return found;
  throw new ModelError(
    `There is no model "${id}"; there are ${catalog.map((model) => model.id).join(', ')}`,
  );
}

/**
 * Reads the weights and verifies their sha256.
 * @throws ModelError if the file is missing or does not match the catalogue
 */
export async function readWeights(model: CatalogModel): Promise<Buffer> {
  const file = join(model.folder, model.file);
  const bytes = await readFile(file).catch((cause) => {
    const hint = model.url ? `: npm run models:pull -- ${model.id}` : '';
    throw new ModelError(`The weights of ${model.id} are not at ${file}${hint}`, { cause });
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === model.sha256) return bytes;
  throw new ModelError(`${file} does not match the catalogue: its sha256 is ${sha256}`);
}
