import {
  type IDisplayOptions,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeProperties,
  type INodeType,
  type INodeTypeDescription,
  NodeOperationError,
} from 'n8n-workflow';
import { type Client, createClient } from '../../client/src/client.ts';
import { runBatch } from './batch.ts';
import { optionFields } from './fields.ts';
import { type Execution, failedItem, ITEM_OPERATIONS, itemError } from './operations.ts';

/** A service that is away should not hold up an execution for the client's five minutes. */
const MAX_ATTEMPTS = 5;

const OPERATIONS = [
  { value: 'removeBackground', name: 'Remove Background', action: 'Remove the background' },
  {
    value: 'batch',
    name: 'Remove Backgrounds in a Batch',
    action: 'Remove backgrounds in a batch',
  },
  { value: 'classify', name: 'Classify Garment', action: 'Say what a garment is' },
  { value: 'suggestOutfits', name: 'Suggest Outfits', action: 'Suggest outfits for the weather' },
];

const shownFor = (...operation: string[]): IDisplayOptions => ({ show: { operation } });
const CUT_OUTS = shownFor('removeBackground', 'batch');
const fromSource = (source: string): IDisplayOptions => ({
  show: { ...CUT_OUTS.show, source: [source] },
});
const PHOTO = { displayName: 'Photo', name: 'photo', type: 'string' } as const;
const OUTFITS = { displayOptions: shownFor('suggestOutfits') };

const number = (displayName: string, name: string, value: number): INodeProperties => ({
  displayName,
  name,
  type: 'number',
  default: value,
  typeOptions: { numberPrecision: 2 },
});

// biome-ignore format: a table reads best with a field a line
const PROPERTIES: INodeProperties[] = [
  { displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, options: OPERATIONS, default: 'removeBackground' },
  { displayName: 'Source', name: 'source', type: 'options', options: [{ name: 'Binary Field', value: 'binary' }, { name: 'Address', value: 'address' }], default: 'binary', displayOptions: CUT_OUTS, description: 'The service fetches an address itself' },
  { ...PHOTO, default: 'data', displayOptions: fromSource('binary'), description: 'The binary field with the photo: JPEG, PNG or WebP' },
  { displayName: 'Address', name: 'address', type: 'string', default: '', required: true, placeholder: 'https://shop.example/shirt.jpg', displayOptions: fromSource('address') },
  { displayName: 'Options', name: 'options', type: 'collection', placeholder: 'Add option', default: {}, options: optionFields, displayOptions: CUT_OUTS },
  { ...PHOTO, default: '', displayOptions: shownFor('classify'), description: 'The binary field with a photo, if there is one' },
  { displayName: 'Title', name: 'title', type: 'string', default: '', displayOptions: shownFor('classify'), description: 'Of the article' },
  { displayName: 'Language of the Labels', name: 'locale', type: 'string', default: '', placeholder: 'en', displayOptions: shownFor('classify') },
  { displayName: 'Wardrobe', name: 'wardrobe', type: 'json', default: '[]', ...OUTFITS, description: 'A list such as [{"id": "down", "category": "down_jacket"}]' },
  { ...number('Temperature (°C)', 'tempC', 15), ...OUTFITS },
  { ...number('Wind (m/s)', 'windMs', 2), ...OUTFITS },
  { ...number('Humidity (%)', 'humidityPct', 60), ...OUTFITS },
  { displayName: 'Condition', name: 'condition', type: 'string', default: 'clear', ...OUTFITS, description: 'Such as clear, cloudy, rain, snow' },
  { ...number('Activity (Met)', 'met', 1.6), ...OUTFITS, description: '1 sitting, 1.6 strolling, 3 brisk walking' },
  { displayName: 'Further Fields', name: 'further', type: 'json', default: '{}', ...OUTFITS, description: 'Of the request, such as {"occasion": "work", "limit": 3}' },
];

/** Cut-outs, garment words and outfits of a Selvage gateway. */
export class Selvage implements INodeType {
  readonly description: INodeTypeDescription = {
    displayName: 'Selvage',
    name: 'selvage',
    icon: 'file:../selvage.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Removes backgrounds, classifies garments and suggests outfits',
    defaults: { name: 'Selvage' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'selvageApi', required: true }],
    properties: PROPERTIES,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const { baseUrl, key } = await this.getCredentials<{ baseUrl: string; key: string }>(
      'selvageApi',
    );
    const execution = {
      context: this,
      client: openClient(this, baseUrl, key),
      call: { signal: this.getExecutionCancelSignal() },
    };
    if (this.getNodeParameter('operation', 0) !== 'batch') return [await runItems(execution)];
    const done = await runBatch(execution).catch((error: unknown) => {
      throw itemError(execution, error, 0);
    });
    return [done];
  }
}

/** @throws NodeOperationError if the address of the credential is none */
function openClient(context: IExecuteFunctions, baseUrl: string, key: string): Client {
  try {
    return createClient({ baseUrl, key, retry: { maxAttempts: MAX_ATTEMPTS } });
  } catch (error) {
    const description = 'Check the address in the credential';
    throw new NodeOperationError(context.getNode(), error as Error, { description });
  }
}

/** Runs the operation of each item; what fails is that item's alone if the node goes on. */
async function runItems(execution: Execution): Promise<INodeExecutionData[]> {
  const { context } = execution;
  const done: INodeExecutionData[] = [];
  for (const item of context.getInputData().keys()) {
    try {
      const run = ITEM_OPERATIONS[context.getNodeParameter('operation', item) as string];
      if (!run) throw new Error('There is no such operation');
      done.push({ ...(await run(execution, item)), pairedItem: { item } });
    } catch (cause) {
      const error = itemError(execution, cause, item);
      if (!context.continueOnFail()) throw error;
      done.push(failedItem(error, item));
    }
  }
  return done;
}
