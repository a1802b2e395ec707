import type { INodeExecutionData } from 'n8n-workflow';
import {
  type Execution,
  failedItem,
  imageResult,
  isFromAddress,
  itemError,
  optionsOf,
  read,
  readPhoto,
} from './operations.ts';

/** All items as the rows of one batch: `customId` is the number of an item. */
class BatchRun {
  readonly #execution: Execution;
  /** By item. */
  readonly #failed = new Map<number, INodeExecutionData>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Waits for the end, and returns an item for each item. */
  async run(): Promise<INodeExecutionData[]> {
    const { client, call } = this.#execution;
    const { id } = await client.batches.create({ options: optionsOf(this.#execution, 0) }, call);
    if (isFromAddress(this.#execution, 0)) await client.batches.addRows(id, this.#rows(), call);
    else await client.batches.addFiles(id, this.#files(), call);
    await client.batches.seal(id, call);
    for await (const _ of client.batches.events(id, call));
    const done: INodeExecutionData[] = [];
    for await (const { row, customId, status, problem } of client.batches.manifest(id, call)) {
      const item = Number(customId);
      if (status === 'succeeded') done.push(await this.#cutOut(id, row, item));
      else this.#fail(problem ?? new Error(`The row is ${status}: batch ${id}`), item);
    }
    return [...done, ...this.#failed.values()].sort((a, b) => itemOf(a) - itemOf(b));
  }

  async #cutOut(id: string, row: number, item: number): Promise<INodeExecutionData> {
    const { client, call } = this.#execution;
    const cutOut = await client.batches.cutout(id, row, call);
    const result = await imageResult(this.#execution, cutOut, `${id}-${row}`, { batch: id, row });
    return { ...result, pairedItem: { item } };
  }

  /** @throws NodeOperationError unless the node goes on */
  #fail(problem: unknown, item: number): void {
    const error = itemError(this.#execution, problem, item);
    if (!this.#execution.context.continueOnFail()) throw error;
    this.#failed.set(item, failedItem(error, item));
  }

  /** Reads each item when its turn comes, so that one photo at a time is in memory; what cannot be read is no row. */
  async *#each<Value>(value: (item: number) => Value | Promise<Value>): AsyncGenerator<Value> {
    for (const item of this.#execution.context.getInputData().keys()) {
      let found: Value;
      try {
        found = await value(item);
      } catch (error) {
        this.#fail(error, item);
        continue;
      }
      yield found;
    }
  }

  #rows() {
    return this.#each((item) => ({
      customId: String(item),
      imageUrl: read<string>(this.#execution, 'address', item),
    }));
  }

  #files() {
    return this.#each(async (item) => ({
      name: String(item),
      image: await readPhoto(this.#execution, item),
    }));
  }
}

const itemOf = ({ pairedItem }: INodeExecutionData): number =>
  (pairedItem as { item: number }).item;

export const runBatch = (execution: Execution): Promise<INodeExecutionData[]> =>
  new BatchRun(execution).run();
