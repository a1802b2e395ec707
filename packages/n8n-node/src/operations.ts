import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  NodeOperationError,
} from 'n8n-workflow';
import type {
  CallOptions,
  ClassifyRequest,
  Client,
  CutOutOptions,
  ImageResponse,
  OutfitsRequest,
} from '../../client/src/client.ts';

/** One execution of the node: the items that it got, and a client with its credentials. */
export interface Execution {
  context: IExecuteFunctions;
  client: Client;
  call: CallOptions;
}

/** What one item gives, before it is paired with the item. */
export type Result = Pick<INodeExecutionData, 'json' | 'binary'>;

/** A problem that a call was rejected with, or that the service has stored with a row. */
const isProblem = (error: unknown): error is { title: string; detail: string } =>
  typeof error === 'object' && error !== null && 'title' in error && 'detail' in error;

/** Returns an error of an item; that of a problem has its title, and its detail below. */
export function itemError(
  { context }: Execution,
  error: unknown,
  itemIndex: number,
): NodeOperationError {
  const node = context.getNode();
  if (!isProblem(error)) return new NodeOperationError(node, error as Error, { itemIndex });
  const { title, detail: description } = error;
  return new NodeOperationError(node, title, { description, itemIndex });
}

/**
 * Returns what goes on in the place of an item that failed. By these two members, and no other, n8n knows it for its
 * output of errors; of an item with `error` beside `json` it would keep the message alone.
 */
export const failedItem = (
  { message: error, description }: NodeOperationError,
  item: number,
): INodeExecutionData => ({
  json: { error, ...(description && { message: description }) },
  pairedItem: { item },
});

/** Returns the fields that were filled in. */
const given = (fields: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

export const read = <Value>({ context }: Execution, name: string, item: number) =>
  context.getNodeParameter(name, item) as Value;

export const optionsOf = (execution: Execution, item: number) =>
  given(read(execution, 'options', item)) as CutOutOptions;

/** Reads JSON that was typed, or that an expression returned. */
function readJson(execution: Execution, name: string, item: number): unknown {
  const value = read<unknown>(execution, name, item);
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    const message = `"${name}" is not JSON: ${(error as Error).message}`;
    throw new NodeOperationError(execution.context.getNode(), message, { itemIndex: item });
  }
}

export const isFromAddress = (execution: Execution, item: number): boolean =>
  read(execution, 'source', item) === 'address';

/** @throws NodeOperationError that says so if the item has no such field */
export function readPhoto(execution: Execution, item: number): Promise<Buffer> {
  const { assertBinaryData, getBinaryDataBuffer } = execution.context.helpers;
  const field = read<string>(execution, 'photo', item);
  assertBinaryData(item, field);
  return getBinaryDataBuffer(item, field);
}

export async function imageResult(
  { context }: Execution,
  { image, requestId: _, ...about }: ImageResponse,
  name: string,
  more: object = {},
): Promise<Result> {
  const extension = about.mediaType.split('/')[1];
  const file = `${name}.${extension}`;
  const data = await context.helpers.prepareBinaryData(Buffer.from(image), file, about.mediaType);
  return { json: { ...about, ...more } as IDataObject, binary: { data } };
}

/** Sends a photo, or has the service fetch one, which is a job to wait for. */
async function removeBackground(execution: Execution, item: number): Promise<Result> {
  const { client, call } = execution;
  const options = optionsOf(execution, item);
  if (!isFromAddress(execution, item)) {
    const photo = await readPhoto(execution, item);
    const cutOut = await client.removeBackground(photo, { ...options, ...call });
    return imageResult(execution, cutOut, `cutout-${item}`);
  }
  const imageUrl = read<string>(execution, 'address', item);
  const { id } = await client.jobs.create({ imageUrl, options }, call);
  const { results } = await client.jobs.wait(id, call);
  const cutOut = await client.jobs.result(id, call);
  return imageResult(execution, cutOut, id, { ...results?.cutout, job: id });
}

async function classify(execution: Execution, item: number): Promise<Result> {
  const { client, call } = execution;
  const title = read<string>(execution, 'title', item);
  const locale = read<string>(execution, 'locale', item);
  const hasPhoto = read<string>(execution, 'photo', item) !== '';
  const request = {
    ...(hasPhoto && { image: await readPhoto(execution, item) }),
    ...(title && { attributes: { title } }),
    ...(locale && { options: { locale } }),
  } as ClassifyRequest;
  return { json: { ...(await client.classify(request, call)) } as object as IDataObject };
}

const WEATHER = ['tempC', 'windMs', 'humidityPct', 'condition'];

async function suggestOutfits(execution: Execution, item: number): Promise<Result> {
  const { client, call } = execution;
  const request = {
    items: readJson(execution, 'wardrobe', item),
    weather: Object.fromEntries(WEATHER.map((name) => [name, read(execution, name, item)])),
    met: read(execution, 'met', item),
    ...(readJson(execution, 'further', item) as object),
  } as unknown as OutfitsRequest; // the service validates it, and says all that is wrong
  return { json: { ...(await client.look.outfits(request, call)) } as object as IDataObject };
}

type ItemOperation = (execution: Execution, item: number) => Promise<Result>;

export const ITEM_OPERATIONS: Readonly<Record<string, ItemOperation>> = {
  removeBackground,
  classify,
  suggestOutfits,
};
