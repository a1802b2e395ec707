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
  task: z.enum(['cut-out', 'classification']),
  /** Beside the catalogue, or where pulled weights are kept. */
  file: z.string().regex(/^[\w.-]+\.onnx$/),
  bytes: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** SPDX, or the name of a licence SPDX does not know. */
  licence: z.string().min(1),
  nonCommercial: z.boolean(),
  /** Who made the weights, and where that is written. */
  origin: z.string().min(1),
  /** Where the weights are downloaded; absent for those that come along. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** A square of `size` pixels, stretched; colours become `(colour / scale - mean) / std`. */
  input: z.strictObject({
    /** Absent: the network's first. */
    name: z.string().optional(),
    size: z.number().int().positive(),
    /** Whether it gains by a second look at the subject alone; see docs/adr/0027-second-pass.md. */
    closer: z.boolean().optional(),
    scale: z.enum(['divide-255', 'divide-max']),
    mean: Triple,
    std: Triple,
  }),
  output: z.strictObject({
    /** Absent: the network's first. */
    name: z.string().optional(),
    /** What is done to the raw answer before it is 0..1. */
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
      context.addIssue({ code: 'custom', message: 'no JSON' });
      return z.NEVER;
    }
  })
  .pipe(Catalog);

export type Model = z.infer<typeof Model>;

/** A model and the folder its weights are in. */
export interface CatalogModel extends Model {
  folder: string;
}

/** Faults an operator can mend; the message says how. */
export class ModelError extends Error {}

/**
 * The folder of the project's own models: this file's, or the sources' where this file was compiled
 * into `dist/models`.
 */
function ownFolder(): string {
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
 * Every known model: the project's own catalogue, and the operator's `catalog.json` in `home`, whose
 * entries replace those of the same id.
 * @param home where pulled weights and the operator's own models are kept
 */
export function readCatalog(home: string): CatalogModel[] {
  const own = ownFolder();
  const shipped = readModels(join(own, 'catalog.json'), false).map((model) => ({
    ...model,
    folder: model.url ? home : own,
  }));
  const added = readModels(join(home, 'catalog.json'), true).map((model) => ({
    ...model,
    folder: home,
  }));
  return [...shipped.filter(({ id }) => !added.some((model) => model.id === id)), ...added];
}

/** @throws ModelError that lists what there is */
export function findModel(catalog: readonly CatalogModel[], id: string): CatalogModel {
  const found = catalog.find((model) => model.id === id);
  if (found) return found;
  throw new ModelError(
    `There is no model "${id}"; there are ${catalog.map((model) => model.id).join(', ')}`,
  );
}

/**
 * The weights, checked against the catalogue.
 * @throws ModelError where the file is missing or another one
 */
export async function readWeights(model: CatalogModel): Promise<Buffer> {
  const file = join(model.folder, model.file);
  const bytes = await readFile(file).catch((cause) => {
    const hint = model.url ? `: npm run models:pull -- ${model.id}` : '';
    throw new ModelError(`The weights of ${model.id} are not at ${file}${hint}`, { cause });
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === model.sha256) return bytes;
  throw new ModelError(`${file} is not what the catalogue says: its sha256 is ${sha256}`);
}
